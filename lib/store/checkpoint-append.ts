// Checkpoints into their shards: one line each, under the shard's lock, on the disk before it is
// acknowledged. What is stored already is found out under the same lock, by rules that are given
// as data: no caller's code runs there.

import { diagnostic, LineEncoder, stringifyPayload } from '../format/index.js'
import {
  appendOnce,
  type LogOptions,
  type NewEvent,
  type Receipt,
  systemEnvironment,
} from '../log/index.js'
import { appendDecided, appendOnceSync, type OpenLog } from '../log/inside.js'
import {
  type Decision,
  leaveOutKnownMemories,
  leaveOutKnownParts,
  type PartKey,
} from './checkpoint-keys.js'
import { findRepeated, readKnownMemories, readKnownParts } from './checkpoint-known.js'
import { sha256Of } from './checkpoint-load.js'
import {
  type CheckpointPayload,
  checkpointPayload,
  type NewCheckpoint,
} from './checkpoint-record.js'
import { projectOfSession, shardPathOf } from './checkpoint-shard.js'
import { type RetentionOptions, retentionRules } from './checkpoint-visible.js'
import { layoutOf, type StoreOptions } from './layout.js'

export interface ShardWriteOptions
  extends StoreOptions,
    Pick<LogOptions, 'lockTimeoutMs' | 'useKernelLock' | 'onDiagnostic' | 'environment'> {}

export interface AppendCheckpointOptions extends ShardWriteOptions, RetentionOptions {
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
   * and is younger than this: two processes were told of one thing.
   *
   * @default undefined: it is never left out for that
   */
  unlessRepeatedWithinMs?: number | undefined
}

export interface AppendedCheckpoint {
  readonly id: string
  /** The shard. */
  readonly path: string
  readonly byte_offset: number
  /** Of the bytes of its line, without the newline. */
  readonly sha256: string
  /** It was there already, in the checkpoint of this id; nothing was written. */
  readonly duplicate?: true
}

/** Appends one checkpoint to the shard of its session's project, and syncs it. */
export async function appendCheckpoint(
  checkpoint: NewCheckpoint,
  options: AppendCheckpointOptions = {},
): Promise<AppendedCheckpoint> {
  const { path, payload, now } = placed(checkpoint, options)
  const { unlessKeys = [], unlessKnownMemories = false, unlessRepeatedWithinMs } = options
  if (unlessKeys.length > 0 || unlessKnownMemories || unlessRepeatedWithinMs !== undefined)
    return appendNewParts(path, payload, now, options)
  const [receipt] = await appendOnce(path, [eventOf(payload)], shardLogOptions(options))
  return appendedOf(path, payload, receipt!)
}

/** The same at once, for the last moments of a process. */
export function appendCheckpointSync(
  checkpoint: NewCheckpoint,
  options: ShardWriteOptions = {},
): AppendedCheckpoint {
  const { path, payload } = placed(checkpoint, options)
  const [receipt] = appendOnceSync(path, [eventOf(payload)], shardLogOptions(options))
  return appendedOf(path, payload, receipt!)
}

/** A checkpoint with all its fields, and the shard it belongs to. */
function placed(checkpoint: NewCheckpoint, options: ShardWriteOptions) {
  const environment = { ...systemEnvironment, ...options.environment }
  const now = environment.now()
  const payload = checkpointPayload(checkpoint, {
    id: environment.newUuid(),
    created_at: new Date(now).toISOString(),
    agent_id: options.agent ?? 'default',
    headerProject: projectOfSession(checkpoint.session_key, options),
  })
  return { path: shardPathOf(payload.project_normalized, layoutOf(options)), payload, now }
}

/** The settings under which shards are written: always synced, one line at a time. */
export function shardLogOptions(options: ShardWriteOptions): LogOptions {
  const { lockTimeoutMs, useKernelLock, onDiagnostic, environment } = options
  const lock = { lockTimeoutMs, useKernelLock }
  return { ...lock, onDiagnostic, environment, channel: 'checkpoint', lineNumbers: false }
}

async function appendNewParts(
  path: string,
  payload: CheckpointPayload,
  now: number,
  options: AppendCheckpointOptions,
): Promise<AppendedCheckpoint> {
  let decision: Decision = { payload, holder: undefined, conflicts: [] }
  const decide = (shard: OpenLog): NewEvent[] => {
    decision = leaveOutKnown(shard, payload, now, options)
    return decision.payload === undefined ? [] : [eventOf(decision.payload)]
  }
  const [receipt] = await appendDecided(path, decide, shardLogOptions(options))
  for (const key of decision.conflicts) {
    const message = `"${key}" is known with other content; this one is stored beside it`
    const where = { file: path, uuid: payload.id, byte_offset: receipt?.byte_offset }
    options.onDiagnostic?.(diagnostic('idempotency_conflict', message, where))
  }
  if (decision.payload === undefined) return { ...decision.holder!, path, duplicate: true }
  return appendedOf(path, decision.payload, receipt!)
}

function leaveOutKnown(
  shard: OpenLog,
  payload: CheckpointPayload,
  now: number,
  options: AppendCheckpointOptions,
): Decision {
  const { unlessKeys = [], unlessRepeatedWithinMs } = options
  if (unlessRepeatedWithinMs !== undefined) {
    const holder = findRepeated(shard, payload, now - unlessRepeatedWithinMs)
    return { payload: holder === undefined ? payload : undefined, holder, conflicts: [] }
  }
  if (unlessKeys.length > 0) return leaveOutKnownParts(payload, unlessKeys, readKnownParts(shard))
  const visible = { rules: retentionRules(options), now }
  const known = readKnownMemories(shard, payload.project_normalized, visible)
  return leaveOutKnownMemories(payload, known)
}

function eventOf(payload: CheckpointPayload): NewEvent<'checkpoint'> {
  return { type: 'checkpoint', uuid: payload.id, ts: payload.created_at, payload }
}

function appendedOf(
  path: string,
  payload: CheckpointPayload,
  { byte_offset, duplicate }: Receipt,
): AppendedCheckpoint {
  const { id } = payload
  const appended = { id, path, byte_offset, sha256: sha256Of(lineOf(payload)) }
  return duplicate === true ? { ...appended, duplicate } : appended
}

let encoder: LineEncoder | undefined

/** The line as it stands in the shard: everything it depends on is in the payload. */
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
