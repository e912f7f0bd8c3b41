// Checkpoints of a project or a session, read from the shards by every call.

import { SessionError } from '../../errors.js'
import { type Diagnostic, normalizeSessionKey } from '../../format/index.js'
import { appendOnce } from '../../log/index.js'
import { checkLimit } from '../check-options.js'
import type { StoreContext } from '../context.js'
import { type ProjectScope, selectProjects } from '../projects/select-projects.js'
import { shardLogOptions } from './append.js'
import {
  type CheckpointItem,
  ignore,
  isTombstone,
  listShards,
  loadCheckpoint,
  readItems,
  readSessionProject,
  type StoredCheckpoint,
  shardPathOf,
  withShard,
} from './read-shard.js'
import type { CheckpointPayload } from './record.js'
import { findReferredShards } from './refer.js'
import { type RetentionOptions, visibleItems, visibleOptions } from './visible.js'

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
   * The project of that session, where the caller has read its header: only its shard is searched.
   *
   * @default that of its header, and every shard that its transcript refers to
   */
  sessionProject?: string | null | undefined
}

export interface ListCheckpointsQuery extends CheckpointTarget {
  /** @default 10; all of a session */
  limit?: number | undefined

  /**
   * Only those that an agent stored memories with. No other is loaded.
   *
   * @default false
   */
  withMemories?: boolean | undefined
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
  const limit = limitOf(query)
  const { checkpoints, diagnostics } = readCheckpoints(store, query, {
    limit,
    isWanted: ({ hasMemories }) => hasMemories || query.withMemories !== true,
  })
  return { checkpoints: checkpoints.slice(0, limit), diagnostics }
}

/** The newest that is visible. */
export function findNewestCheckpoint(
  store: StoreContext,
  query: NewestCheckpointQuery = {},
): NewestCheckpoint {
  const isWanted = filterOf(store, query)
  const { checkpoints, diagnostics } = readCheckpoints(store, query, { limit: 1, isWanted })
  return { newest: checkpoints[0], diagnostics }
}

/** The newest of each class, newest first, in one read of each shard. */
export function findNewestOfEach<Class extends string>(
  store: StoreContext,
  query: NewestCheckpointQuery,
  classes: readonly Class[],
  classify: (checkpoint: CheckpointPayload) => Class,
): CheckpointList {
  const isWanted = filterOf(store, query)
  const seen = new Set<string>()
  const isFirst = (name: string) => !seen.has(name) && seen.add(name) !== undefined
  const ofShards = readCheckpoints(store, query, {
    limit: classes.length,
    isWanted: (item, load) => {
      if (!isWanted(item, load)) return false
      const { checkpoint, path } = load()
      return isFirst(`${classify(checkpoint)} ${path}`)
    },
  })
  const checkpoints = ofShards.checkpoints.filter(({ checkpoint }) => isFirst(classify(checkpoint)))
  return { ...ofShards, checkpoints }
}

function filterOf(store: StoreContext, query: NewestCheckpointQuery): Selection['isWanted'] {
  const { withinMs, excludeSession = () => false, hasTranscriptOffset = false } = query
  const since = withinMs === undefined ? Number.NEGATIVE_INFINITY : store.env.now() - withinMs
  return ({ createdAtMs, sessionKey }, load) =>
    createdAtMs > since &&
    !excludeSession(sessionKey) &&
    (!hasTranscriptOffset || typeof load().checkpoint.transcript_offset === 'number')
}

interface Selection {
  /** Of each shard. */
  readonly limit: number
  readonly isWanted: (item: CheckpointItem, load: () => StoredCheckpoint) => boolean
}

/** The visible ones of all shards that the target names, newest first. */
function readCheckpoints(
  store: StoreContext,
  target: CheckpointTarget,
  { limit, isWanted }: Selection,
): CheckpointList {
  const { paths, isMeant } = toTarget(store, target)
  const diagnostics: Diagnostic[] = []
  const report = (found: Diagnostic) => diagnostics.push(found)
  const rows: { readonly rankMs: number; readonly stored: StoredCheckpoint }[] = []
  for (const path of limit === 0 ? [] : paths) {
    withShard(store, path, report, (log) => {
      let count = 0
      const items = readItems(store, log, report)
      for (const item of visibleItems(items, visibleOptions(store, target))) {
        if (count === limit) return
        const load = () => loadCheckpoint(log, item)
        if (!isMeant(item) || !isWanted(item, load)) continue
        rows.push({ rankMs: item.rankMs, stored: load() })
        count++
      }
    })
  }
  rows.sort((one, other) => other.rankMs - one.rankMs)
  return { checkpoints: rows.map(({ stored }) => stored), diagnostics }
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
      const items = readItems(store, log, ignore)
      const item = items.findLast((one) => !isTombstone(one) && one.id === id)
      if (item === undefined || isTombstone(item)) return undefined
      const shown = visibleItems(items, visibleOptions(store, options))
      const visible = shown.some(({ byteOffset }) => byteOffset === item.byteOffset)
      return { ...loadCheckpoint(log, item), visible }
    })
    if (found !== undefined) return found
  }
  return undefined
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

function limitOf({ limit, session }: ListCheckpointsQuery): number {
  if (limit === undefined) return session === undefined ? PROJECT_LIMIT : Number.POSITIVE_INFINITY
  checkLimit(limit)
  return limit
}

/** The shards to read, and which of their checkpoints are meant. */
interface Target {
  readonly paths: readonly string[]
  isMeant(item: CheckpointItem): boolean
}

function toTarget(store: StoreContext, query: CheckpointTarget): Target {
  const { project, scope, session } = query
  if (session !== undefined) {
    if (project === undefined) return sessionTarget(store, { ...query, session })
    throw new SessionError('ERR_ARG', 'Ask for a project or for a session, not for both')
  }
  const { names, has } = selectProjects(store, { project, scope })
  const paths =
    names === undefined ? listShards(store) : Array.from(names, (name) => shardPathOf(store, name))
  // The name of a shard is a hash, so two projects may share it.
  return { paths, isMeant: ({ projectNormalized }) => has(projectNormalized) }
}

function sessionTarget(
  store: StoreContext,
  { session, sessionProject: known }: CheckpointTarget & { session: string },
): Target {
  const key = normalizeSessionKey(session)
  const project = known === undefined ? readSessionProject(store, key) : known
  const isMeant = ({ sessionKey }: CheckpointItem) => sessionKey === key
  // Without a transcript any shard may have them.
  if (project === undefined) return { paths: listShards(store), isMeant }
  const referred = known === undefined ? findReferredShards(store, key) : []
  return { paths: [...new Set([shardPathOf(store, project), ...referred])], isMeant }
}
