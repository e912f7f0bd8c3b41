// Checkpoints into their shards: one line each, under the shard's lock, on the disk before it is
// acknowledged. What is stored already is found out under the same lock, by rules that are given
// as data: no caller's code runs there.

import { toIso } from '../../environment/index.js'
import { diagnostic, LineEncoder, stringifyPayload } from '../../format/index.js'
import { appendOnce, type LogOptions, type NewEvent, type Receipt } from '../../log/index.js'
import { appendDecided, appendOnceSync, type OpenLog } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { normalizeProject } from '../projects/normalize-project.js'
import {
  type Decision,
  findRepeated,
  leaveOutKnownMemories,
  leaveOutKnownParts,
  type PartKey,
  readKnownMemories,
  readKnownParts,
} from './known-parts.js'
import { readSessionProject, sha256Of, shardPathOf } from './read-shard.js'
import { type CheckpointPayload, checkpointPayload, type NewCheckpoint } from './record.js'
import { referToCheckpoint } from './refer.js'
import { type RetentionOptions, visibleOptions } from './visible.js'

export interface AppendCheckpointOptions extends RetentionOptions {
  /**
   * The project that the caller named: its shard gets the record, and the transcript of the session
   * refers to it.
   *
   * @default the project of the session's header
   */
  namedProject?: string | undefined

  /** Leave out the parts that the shard holds under these keys. */
  unlessKeys?: readonly PartKey[] | undefined

  /**
   * Leave out memories that a visible checkpoint of the project holds in the same words.
   *
   * @default false
   */
  unlessKnownMemories?: boolean | undefined

  /**
   * Leave it out when the newest one of its session was made for the same reason at the same place
   * and is younger than this: two processes recorded the same moment.
   *
   * @default undefined: it is never left out for that
   */
  unlessRepeatedWithinMs?: number | undefined
}

export interface AppendedCheckpoint {
  readonly id: string
  /** The shard. */
  readonly path: string
  readonly byteOffset: number
  /** Of the bytes of its line, without the newline. */
  readonly sha256: string
  /** It was there already, in the checkpoint of this id; nothing was written. */
  readonly duplicate?: true
}

/** Appends one checkpoint to the shard of its project, and syncs it. */
export async function appendCheckpoint(
  store: StoreContext,
  checkpoint: NewCheckpoint,
  options: AppendCheckpointOptions = {},
): Promise<AppendedCheckpoint> {
  const { namedProject, unlessKeys = [], unlessKnownMemories, unlessRepeatedWithinMs } = options
  const placed = place(store, checkpoint, namedProject)
  const { path, payload, isReferredTo } = placed
  const isDecided = unlessKeys.length > 0 || unlessKnownMemories === true
  const appended =
    isDecided || unlessRepeatedWithinMs !== undefined
      ? await appendNewParts(store, placed, options)
      : await appendWhole(store, path, payload)
  if (isReferredTo) await referToCheckpoint(store, payload, appended)
  return appended
}

async function appendWhole(
  store: StoreContext,
  path: string,
  payload: CheckpointPayload,
): Promise<AppendedCheckpoint> {
  const [receipt] = await appendOnce(path, [eventOf(payload)], shardLogOptions(store))
  return appendedOf(path, payload, receipt!)
}

/** As `appendCheckpoint`, synchronous, for the exit of a process. */
export function appendCheckpointSync(
  store: StoreContext,
  checkpoint: NewCheckpoint,
): AppendedCheckpoint {
  const { path, payload } = place(store, checkpoint)
  const [receipt] = appendOnceSync(path, [eventOf(payload)], shardLogOptions(store))
  return appendedOf(path, payload, receipt!)
}

interface PlacedCheckpoint {
  readonly payload: CheckpointPayload
  /** The shard. */
  readonly path: string
  readonly now: number
  /** A lookup by session would not find it in the shard of the session's own project. */
  readonly isReferredTo: boolean
}

/** A checkpoint with all its fields, and the shard it belongs to. */
function place(store: StoreContext, checkpoint: NewCheckpoint, named?: string): PlacedCheckpoint {
  const { env, agent } = store
  const now = env.now()
  const headerProject = readSessionProject(store, checkpoint.session_key)
  const project_normalized =
    named === undefined ? checkpoint.project_normalized : normalizeProject(store, named)
  const payload = checkpointPayload(
    store,
    { ...checkpoint, project_normalized },
    { id: env.newUuid(), created_at: toIso(now), agent_id: agent, headerProject },
  )
  const path = shardPathOf(store, payload.project_normalized)
  const isElsewhere = headerProject !== undefined && shardPathOf(store, headerProject) !== path
  return { payload, path, now, isReferredTo: named !== undefined && isElsewhere }
}

/** The settings under which shards are written: always synced, one line at a time. */
export function shardLogOptions({ logOptions }: StoreContext): LogOptions {
  return { ...logOptions, channel: 'checkpoint', lineNumbers: false }
}

async function appendNewParts(
  store: StoreContext,
  { path, payload, now }: PlacedCheckpoint,
  options: AppendCheckpointOptions,
): Promise<AppendedCheckpoint> {
  let decision: Decision = { payload, holder: undefined, conflicts: [] }
  const decide = (shard: OpenLog): NewEvent[] => {
    decision = leaveOutKnown(store, shard, payload, now, options)
    return decision.payload === undefined ? [] : [eventOf(decision.payload)]
  }
  const [receipt] = await appendDecided(path, decide, shardLogOptions(store))
  for (const key of decision.conflicts) {
    const message = `"${key}" is known with other content; this one is stored beside it`
    const where = { file: path, uuid: payload.id, byte_offset: receipt?.byteOffset }
    store.report(diagnostic('idempotency_conflict', message, where))
  }
  if (decision.payload === undefined) return { ...decision.holder!, path, duplicate: true }
  return appendedOf(path, decision.payload, receipt!)
}

function leaveOutKnown(
  store: StoreContext,
  shard: OpenLog,
  payload: CheckpointPayload,
  now: number,
  options: AppendCheckpointOptions,
): Decision {
  const { unlessKeys = [], unlessRepeatedWithinMs } = options
  if (unlessRepeatedWithinMs !== undefined) {
    const holder = findRepeated(store, shard, payload, now - unlessRepeatedWithinMs)
    return { payload: holder === undefined ? payload : undefined, holder, conflicts: [] }
  }
  if (unlessKeys.length > 0) return leaveOutKnownParts(payload, unlessKeys, readKnownParts(shard))
  const visible = visibleOptions(store, options)
  const known = readKnownMemories(store, shard, payload.project_normalized, visible)
  return leaveOutKnownMemories(payload, known)
}

function eventOf(payload: CheckpointPayload): NewEvent<'checkpoint'> {
  return { type: 'checkpoint', uuid: payload.id, ts: payload.created_at, payload }
}

function appendedOf(
  path: string,
  payload: CheckpointPayload,
  { byteOffset, duplicate }: Receipt,
): AppendedCheckpoint {
  const { id } = payload
  const appended = { id, path, byteOffset, sha256: sha256Of(lineOf(payload)) }
  return duplicate === true ? { ...appended, duplicate } : appended
}

let encoder: LineEncoder | undefined

/** The line as it is in the shard: everything it depends on is in the payload. */
function lineOf(payload: CheckpointPayload): Buffer {
  encoder ??= new LineEncoder()
  encoder.reset()
  encoder.addEvent({
    type: 'checkpoint',
    ts: payload.created_at,
    uuid: payload.id,
    prevJson: 'null',
    payloadJson: stringifyPayload(payload),
  })
  return encoder.bytes({ isolate: false }).subarray(0, -1)
}
