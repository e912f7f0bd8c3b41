// Finds checkpoints: the newest, all of a project or a session, or one by its id. Derived from the
// shards and held in memory; what it answers is what a process would answer that has just started.

import { SessionError } from '../errors.js'
import type { Diagnostic } from '../format/index.js'
import { type Environment, systemEnvironment } from '../log/index.js'
import type { OpenLogWithStats } from '../log/inside.js'
import { type CheckpointEntry, isTombstone, itemsFromEnd, type Report } from './checkpoint-items.js'
import { loadCheckpoint, type StoredCheckpoint } from './checkpoint-load.js'
import { chooseRows, loadRows } from './checkpoint-rows.js'
import { listShards } from './checkpoint-shard.js'
import type { ShardIndex } from './checkpoint-shard-index.js'
import { CheckpointShards } from './checkpoint-shards.js'
import { type CheckpointTarget, type Target, targetOf } from './checkpoint-target.js'
import {
  type RetentionOptions,
  type RetentionRules,
  retentionRules,
  visibleEntries,
} from './checkpoint-visible.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { checkLimit } from './limit.js'

export interface CheckpointIndexOptions extends StoreOptions, RetentionOptions {
  /** Tests give their own clock. */
  environment?: Partial<Pick<Environment, 'now'>> | undefined
}

export interface ListCheckpointsQuery extends CheckpointTarget {
  /** @default 10; all of a session */
  limit?: number | undefined
}

export interface CheckpointList {
  /** The newest first. */
  readonly checkpoints: StoredCheckpoint[]
  /** What was tolerated in the shards that were looked into. */
  readonly diagnostics: Diagnostic[]
}

export interface NewestCheckpointQuery extends CheckpointTarget {
  /**
   * Only one that is younger than this.
   *
   * @default of any age
   */
  withinMs?: number | undefined

  /** Sessions to pass over. */
  isSkipped?: ((session_key: string) => boolean) | undefined

  /**
   * Only one that says where in its transcript it stands. Those that somebody else leaves, by a
   * command or a tool, say no such thing.
   *
   * @default false
   */
  isPlaced?: boolean | undefined
}

export interface NewestCheckpoint {
  readonly newest: StoredCheckpoint | undefined
  readonly diagnostics: Diagnostic[]
}

/** Found by its id, shown or not. */
export interface FoundCheckpoint extends StoredCheckpoint {
  /** False when it was deleted, or retention hides it. */
  readonly isVisible: boolean
}

const PROJECT_LIMIT = 10
// A shard that is replaced more often than this while it is read is not being pruned.
const REPLACEMENTS_MAX = 8

interface Newest {
  readonly entry: CheckpointEntry
  readonly stored: StoredCheckpoint
}

export class CheckpointIndex {
  readonly #options: CheckpointIndexOptions
  readonly #rules: RetentionRules
  readonly #now: () => number
  readonly #shards = new CheckpointShards()

  constructor(options: CheckpointIndexOptions = {}) {
    this.#options = options
    this.#rules = retentionRules(options)
    this.#now = options.environment?.now ?? systemEnvironment.now
  }

  list(query: ListCheckpointsQuery = {}): CheckpointList {
    const target = targetOf(query, this.#options)
    const limit = limitOf(query)
    const lost = new Set<string>()
    const losses: Diagnostic[] = []
    for (let replacements = 0; replacements < REPLACEMENTS_MAX; ) {
      const diagnostics: Diagnostic[] = []
      const report: Report = (found) => diagnostics.push(found)
      const rows = chooseRows(this.#shards, target, { ...this.#visible, limit, lost, report })
      const loaded = loadRows(this.#shards, rows, lost, (found) => losses.push(found))
      if (loaded === 'replaced') replacements++
      else if (loaded !== 'lost')
        return { checkpoints: loaded, diagnostics: [...diagnostics, ...losses] }
    }
    throw replacedError(target)
  }

  /** Reads a shard from its end, and no further than needed, unless it is in memory already. */
  findNewest(query: NewestCheckpointQuery = {}): NewestCheckpoint {
    const target = targetOf(query, this.#options)
    const diagnostics: Diagnostic[] = []
    const report: Report = (found) => diagnostics.push(found)
    let newest: Newest | undefined
    for (const path of target.paths) {
      const found = this.#shards.open(path, report, (log) =>
        this.#newestIn(log, target, query, report),
      )
      if (found === undefined) continue
      const isNewer = newest === undefined || found.entry.createdAtMs > newest.entry.createdAtMs
      if (isNewer) newest = found
    }
    return { newest: newest?.stored, diagnostics }
  }

  /** Looks through all shards. */
  find(id: string): FoundCheckpoint | undefined {
    if (typeof id !== 'string') throw new TypeError('The id of a checkpoint must be a string')
    for (const path of listShards(layoutOf(this.#options))) {
      const index = this.#shards.refresh(path, ignore)
      if (index?.mayHave(id) !== true) continue
      const found = this.#shards.open(path, ignore, (log) => this.#findIn(log, index, id))
      if (found !== undefined) return found
    }
    return undefined
  }

  get #visible(): { rules: RetentionRules; now: number } {
    return { rules: this.#rules, now: this.#now() }
  }

  #newestIn(
    log: OpenLogWithStats,
    { session, isWanted }: Target,
    { withinMs, isSkipped = () => false, isPlaced = false }: NewestCheckpointQuery,
    report: Report,
  ): Newest | undefined {
    const index = this.#shards.known(log.path)
    index?.refresh(log)
    for (const found of index?.diagnostics ?? []) report(found)
    const items = index?.itemsFromEnd(session) ?? itemsFromEnd(log, report)
    const visible = this.#visible
    const since = withinMs === undefined ? Number.NEGATIVE_INFINITY : visible.now - withinMs
    const isCandidate = (entry: CheckpointEntry) =>
      isWanted(entry) && entry.createdAtMs > since && !isSkipped(entry.session_key)
    let stored: StoredCheckpoint | undefined
    const isLost = (entry: CheckpointEntry) => {
      if (!isCandidate(entry)) return false
      stored = loadCheckpoint(log, entry, report)
      return stored === undefined
    }
    // Whoever comes out of there was loaded right before.
    const isTaken = (entry: CheckpointEntry) =>
      isCandidate(entry) && (!isPlaced || typeof stored?.checkpoint.transcript_offset === 'number')
    const entry = firstOf(visibleEntries(items, { ...visible, isLost }), isTaken)
    return entry && stored && { entry, stored }
  }

  #findIn(log: OpenLogWithStats, index: ShardIndex, id: string): FoundCheckpoint | undefined {
    index.refresh(log)
    for (const item of index.itemsFromEnd()) {
      if (isTombstone(item) || item.id !== id) continue
      const stored = loadCheckpoint(log, item, ignore)
      if (stored === undefined) continue
      const isLost = (entry: CheckpointEntry) => loadCheckpoint(log, entry, ignore) === undefined
      const items = index.itemsFromEnd(item.session_key)
      const visible = visibleEntries(items, { ...this.#visible, isLost })
      const shown = firstOf(visible, ({ byte_offset }) => byte_offset === item.byte_offset)
      return { ...stored, isVisible: shown !== undefined }
    }
    return undefined
  }
}

function ignore(): void {}

function firstOf<Item>(items: Iterable<Item>, isWanted: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (isWanted(item)) return item
  return undefined
}

function limitOf({ limit, session }: ListCheckpointsQuery): number {
  if (limit === undefined) return session === undefined ? PROJECT_LIMIT : Number.POSITIVE_INFINITY
  checkLimit(limit)
  return limit
}

function replacedError({ paths }: Target): SessionError {
  const where = paths.length === 1 ? paths[0] : 'A shard of checkpoints'
  return new SessionError('ERR_FILE_REPLACED', `${where} is replaced again and again`)
}
