// Checkpoints of a project or a session, read from the shards by every call.

import { SessionError } from '../../errors.js'
import { type Diagnostic, normalizeSessionKey } from '../../format/index.js'
import { appendOnce } from '../../log/index.js'
import type { OpenLog } from '../../log/internal.js'
import { checkLimit } from '../check-options.js'
import type { StoreContext } from '../context.js'
import { type ProjectScope, selectProjects } from '../projects/select-projects.js'
import { shardLogOptions } from './append.js'
import {
  type CheckpointItem,
  ignore,
  isTombstone,
  listShards,
  mayHold,
  readItems,
  readSessionProject,
  type ShardItem,
  type StoredCheckpoint,
  shardPathOf,
  toStored,
  withShard,
} from './read-shard.js'

export interface CheckpointTarget extends RetentionOptions {
  /**
   * Of this project, given in any spelling of its path.
   *
   * @default every project
   */
  project?: string | undefined

  /**
   * How far that reaches: this folder, all working trees of its repository, or everything.
   *
   * @default 'exact'
   */
  scope?: ProjectScope | undefined

  /** Of this session, instead of a project. */
  session?: string | undefined

  /**
   * The project of that session, where the caller has read its header.
   *
   * @default as its header says
   */
  sessionProject?: string | null | undefined
}

export interface ListCheckpointsQuery extends CheckpointTarget {
  /** @default 10; all of a session */
  limit?: number | undefined
}

/** A list of checkpoints. */
export interface CheckpointList {
  /** The newest first. */
  readonly checkpoints: StoredCheckpoint[]
  /** What was tolerated in the lines that were read. */
  readonly diagnostics: Diagnostic[]
}

export interface NewestCheckpointQuery extends CheckpointTarget {
  /**
   * Only one that is younger than this.
   *
   * @default of any age
   */
  withinMs?: number | undefined

  /** Sessions to leave out. */
  excludeSession?: ((sessionKey: string) => boolean) | undefined

  /**
   * Only one that names its position in the transcript. Those that a command or a tool adds from
   * outside of the session do not.
   *
   * @default false
   */
  hasTranscriptOffset?: boolean | undefined
}

export interface NewestCheckpoint {
  readonly newest: StoredCheckpoint | undefined
  readonly diagnostics: Diagnostic[]
}

/** Found by its id, visible or not. */
export interface FoundCheckpoint extends StoredCheckpoint {
  /** False when it was deleted, or retention hides it. */
  readonly visible: boolean
}

const PROJECT_LIMIT = 10

/** Newest first: 10 of a project, all of a session, unless `limit` says otherwise. */
export function listCheckpoints(
  store: StoreContext,
  query: ListCheckpointsQuery = {},
): CheckpointList {
  const { paths, isWanted } = toTarget(store, query)
  const limit = limitOf(query)
  const diagnostics: Diagnostic[] = []
  const rows: { readonly sortMs: number; readonly stored: StoredCheckpoint }[] = []
  for (const path of limit === 0 ? [] : paths) {
    readVisible(store, path, query, diagnostics, (log, items) => {
      // Inside a shard the order of the lines counts, whatever the clocks said.
      let sortMs = Number.POSITIVE_INFINITY
      let count = 0
      for (const item of items) {
        if (!isWanted(item)) continue
        sortMs = Math.min(sortMs, item.createdAtMs)
        rows.push({ sortMs, stored: toStored(log, item) })
        if (++count === limit) return
      }
    })
  }
  rows.sort((one, other) => other.sortMs - one.sortMs)
  return { checkpoints: rows.slice(0, limit).map(({ stored }) => stored), diagnostics }
}

/** The newest that is visible, found from the end of its shard. */
export function findNewestCheckpoint(
  store: StoreContext,
  query: NewestCheckpointQuery = {},
): NewestCheckpoint {
  const { withinMs, excludeSession = () => false, hasTranscriptOffset = false } = query
  const { paths, isWanted } = toTarget(store, query)
  const since = withinMs === undefined ? Number.NEGATIVE_INFINITY : store.env.now() - withinMs
  const diagnostics: Diagnostic[] = []
  let newest: { readonly item: CheckpointItem; readonly stored: StoredCheckpoint } | undefined
  for (const path of paths) {
    readVisible(store, path, query, diagnostics, (log, items) => {
      for (const item of items) {
        const { session_key, transcript_offset } = item.checkpoint
        if (!isWanted(item) || item.createdAtMs <= since || excludeSession(session_key)) continue
        if (hasTranscriptOffset && typeof transcript_offset !== 'number') continue
        const isNewer = newest === undefined || item.createdAtMs > newest.item.createdAtMs
        if (isNewer) newest = { item, stored: toStored(log, item) }
        return
      }
    })
  }
  return { newest: newest?.stored, diagnostics }
}

/** One by its id, visible or not; reads all shards. */
export function findCheckpoint(
  store: StoreContext,
  id: string,
  options: RetentionOptions = {},
): FoundCheckpoint | undefined {
  if (typeof id !== 'string') throw new TypeError('The id of a checkpoint must be a string')
  for (const path of listShards(store)) {
    const found = withShard(store, path, ignore, (log) => {
      if (!mayHold(log, id)) return undefined
      for (const item of readItems(store, log, ignore)) {
        if (isTombstone(item) || item.checkpoint.id !== id) continue
        return { ...toStored(log, item), visible: isVisible(store, log, item, options) }
      }
      return undefined
    })
    if (found !== undefined) return found
  }
  return undefined
}

function isVisible(
  store: StoreContext,
  log: OpenLog,
  { byteOffset }: CheckpointItem,
  options: RetentionOptions,
): boolean {
  const items = visibleItems(readItems(store, log, ignore), visibleOptions(store, options))
  for (const item of items) if (item.byteOffset === byteOffset) return true
  return false
}

export interface DeleteCheckpointOptions {
  /** Why; the tombstone records it. */
  reason: string
}

/** Hides a checkpoint by a tombstone; its bytes stay until a prune. */
export async function deleteCheckpoint(
  store: StoreContext,
  id: string,
  { reason }: DeleteCheckpointOptions,
): Promise<FoundCheckpoint> {
  const found = findCheckpoint(store, id)
  if (found === undefined) throw new SessionError('ERR_NOT_FOUND', `No checkpoint "${id}"`, { id })
  const event = { type: 'checkpoint_tombstone', payload: { target_id: id, reason } }
  await appendOnce(found.path, [event], shardLogOptions(store))
  return { ...found, visible: false }
}

function readVisible(
  store: StoreContext,
  path: string,
  options: RetentionOptions,
  diagnostics: Diagnostic[],
  read: (log: OpenLog, items: Iterable<CheckpointItem>) => void,
): void {
  const report = (found: Diagnostic) => diagnostics.push(found)
  withShard(store, path, report, (log) => {
    read(log, visibleItems(readItems(store, log, report), visibleOptions(store, options)))
  })
}

function visibleOptions(store: StoreContext, options: RetentionOptions) {
  return { rules: retentionRules(options), now: store.env.now() }
}

function limitOf({ limit, session }: ListCheckpointsQuery): number {
  if (limit === undefined) return session === undefined ? PROJECT_LIMIT : Number.POSITIVE_INFINITY
  checkLimit(limit)
  return limit
}

/** The shards to read, and which of their checkpoints are meant. */
interface Target {
  readonly paths: readonly string[]
  isWanted(item: CheckpointItem): boolean
}

function toTarget(store: StoreContext, query: CheckpointTarget): Target {
  const { project, scope, session, sessionProject } = query
  if (session !== undefined) {
    if (project === undefined) return sessionTarget(store, session, sessionProject)
    throw new SessionError('ERR_ARG', 'Ask for a project or for a session, not for both')
  }
  const { names, has } = selectProjects(store, { project, scope })
  const paths =
    names === undefined ? listShards(store) : Array.from(names, (name) => shardPathOf(store, name))
  // The name of a shard is a hash, so two projects may share it.
  return { paths, isWanted: ({ projectNormalized }) => has(projectNormalized) }
}

function sessionTarget(
  store: StoreContext,
  session: string,
  known: string | null | undefined,
): Target {
  const key = normalizeSessionKey(session)
  const project = known === undefined ? readSessionProject(store, key) : known
  const paths = project === undefined ? listShards(store) : [shardPathOf(store, project)]
  return { paths, isWanted: ({ checkpoint }) => checkpoint.session_key === key }
}

// Which checkpoints of a shard are visible. Caps and retention are rules for reading: they remove
// nothing, and the same bytes show something else at another time. Pure; the caller passes the time.

export interface RetentionOptions {
  /**
   * How many of one session are visible, newest first; 1 to 500.
   *
   * @default 50
   */
  maxCheckpointsPerSession?: number | undefined

  /**
   * How many days old they may be; 1 to 90. The newest of a session may be older.
   *
   * @default 7
   */
  retentionDays?: number | undefined

  /**
   * Hide also the newest of a session when it is too old.
   *
   * @default false
   */
  strictRetention?: boolean | undefined
}

export interface RetentionRules {
  readonly maxPerSession: number
  readonly maxAgeMs: number
  readonly isStrict: boolean
}

const DAY_MS = 24 * 60 * 60 * 1000

/** A number outside its range becomes the nearest inside; other values become the default. */
export function retentionRules(options: RetentionOptions = {}): RetentionRules {
  return {
    maxPerSession: clamp(options.maxCheckpointsPerSession, { least: 1, most: 500, usual: 50 }),
    maxAgeMs: clamp(options.retentionDays, { least: 1, most: 90, usual: 7 }) * DAY_MS,
    isStrict: options.strictRetention ?? false,
  }
}

export interface VisibleOptions {
  readonly rules: RetentionRules
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Takes items newest first and yields those that are visible, lazily. A tombstone hides what is
 * before it in the file; of a repeated id the newest counts; caps count what is not hidden.
 */
export function* visibleItems(
  items: Iterable<ShardItem>,
  { rules, now }: VisibleOptions,
): Generator<CheckpointItem, void, undefined> {
  const seen = new Set<string>()
  const counts = new Map<string, number>()
  for (const item of items) {
    if (isTombstone(item)) {
      seen.add(item.targetId)
      continue
    }
    const { id, session_key } = item.checkpoint
    if (seen.has(id)) continue
    seen.add(id)
    const place = (counts.get(session_key) ?? 0) + 1
    counts.set(session_key, place)
    const isYoung = now - item.createdAtMs <= rules.maxAgeMs
    const isKept = isYoung || (place === 1 && !rules.isStrict)
    if (place <= rules.maxPerSession && isKept) yield item
  }
}

function clamp(
  value: number | undefined,
  { least, most, usual }: { least: number; most: number; usual: number },
): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return usual
  return Math.min(most, Math.max(least, Math.trunc(value)))
}
