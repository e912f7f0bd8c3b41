// The lines of a shard: checkpoints, and tombstones that hide them. A line that fails its checksum is
// reported and is neither.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isSessionError } from '../../errors.js'
import { fieldsOf } from '../../format/fields.js'
import {
  checkChecksum,
  type Diagnostic,
  diagnostic,
  encodeName,
  normalizeSessionKey,
  payloadOffset,
  readEnvelope,
} from '../../format/index.js'
import { type EventEntry, readLogSync } from '../../log/index.js'
import {
  type Line,
  type OpenLog,
  openForReading,
  readFullySync,
  type UndecodedLine,
  undecodedLines,
} from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { LOG_EXTENSION, listLogNames } from '../list-logs.js'
import { normalizeProject } from '../projects/normalize-project.js'
import type { CheckpointPayload } from './record.js'

/** A checkpoint, as far as it takes to choose among many. */
export interface CheckpointItem {
  readonly id: string
  readonly sessionKey: string
  readonly createdAtMs: number
  readonly projectNormalized: string | null
  /** An agent stored memories with it. */
  readonly hasMemories: boolean
  readonly byteOffset: number
  /** Bytes of the line, without its newline. */
  readonly length: number
}

/** Hides the checkpoints of this id that are before it in the shard. */
export interface Tombstone {
  readonly targetId: string
}

export type ShardItem = CheckpointItem | Tombstone

/** A checkpoint, and where its line is. */
export interface StoredCheckpoint {
  readonly checkpoint: CheckpointPayload
  /** The shard that holds it. */
  readonly path: string
  readonly byteOffset: number
  /** Of the bytes of its line, without the newline. */
  readonly sha256: string
}

export type Report = (diagnostic: Diagnostic) => void

export const ignore: Report = () => {}

export function isTombstone(item: ShardItem): item is Tombstone {
  return 'targetId' in item
}

/** Opens a shard for one step; `undefined` when it does not exist or cannot be read. */
export function withShard<Result>(
  { env }: StoreContext,
  path: string,
  report: Report,
  step: (log: OpenLog) => Result,
): Result | undefined {
  let fd: number | undefined
  try {
    const log = openForReading(path, env)
    fd = log.fd
    return step(log)
  } catch (error) {
    if (!isSessionError(error)) throw error
    if (error.code === 'ERR_NOT_FOUND') return undefined
    report(diagnostic('unreadable_file', error.message, { file: path }))
    return undefined
  } finally {
    if (fd !== undefined) env.fs.closeSync(fd)
  }
}

/** In the order of the file. */
export function readItems(store: StoreContext, log: OpenLog, report: Report): ShardItem[] {
  const items: ShardItem[] = []
  for (const walked of undecodedLines(log)) {
    const skimmed = skimItem(walked.line)
    if (skimmed !== undefined) items.push(skimmed)
    else items.push(...itemsOf(store, walked, log.path, report))
  }
  return items
}

const PLAIN = '"([^"\\\\]*)"'
const NAMES = ['id', 'session_key', 'created_at', 'project_normalized']
const FIRST_FIELDS = new RegExp(`^\\{${NAMES.map((name) => `"${name}":${PLAIN}`).join(',')}[,}]`)
const FIRST_FIELDS_BYTES = 1024
const DIGEST = Buffer.from('"digest":"')
// Inside of a text the quotes are escaped.
const MEMORIES = Buffer.from('"memories":[{')

/** The item of a line as our writer spells it, from its beginning; `undefined` for all others. */
function skimItem(line: Line): CheckpointItem | undefined {
  const { bytes, start, end, byte_offset: byteOffset, length } = line
  const envelope = line.isEnded && !line.isOversize ? readEnvelope(bytes, start, end) : undefined
  if (envelope?.type !== 'checkpoint') return undefined
  const from = start + payloadOffset(envelope)
  const head = bytes.toString('utf8', from, Math.min(end, from + FIRST_FIELDS_BYTES))
  const found = FIRST_FIELDS.exec(head)
  const payload = bytes.subarray(from, end)
  if (found === null || !payload.includes(DIGEST)) return undefined
  const [, id, sessionKey, createdAt, projectNormalized] = found as unknown as string[]
  const createdAtMs = Date.parse(createdAt!)
  if (Number.isNaN(createdAtMs) || checkChecksum(bytes, start, end) !== 'valid') return undefined
  return {
    id: id!,
    sessionKey: sessionKey!,
    createdAtMs,
    projectNormalized: projectNormalized!,
    hasMemories: payload.includes(MEMORIES),
    byteOffset,
    length,
  }
}

function itemsOf(
  store: StoreContext,
  { line, decode }: UndecodedLine,
  file: string,
  report: Report,
): ShardItem[] {
  return decode().flatMap((entry) => {
    const item = entry.kind === 'event' ? toItem(store, entry) : undefined
    const problem = entry.kind === 'event' ? findProblem(line, entry, item) : undefined
    for (const found of problem === undefined ? (entry.diagnostics ?? []) : [problem]) {
      report({ ...found, file })
    }
    return item === undefined || problem !== undefined ? [] : [item]
  })
}

/** Why an event of a shard cannot be used. */
function findProblem(
  line: Line,
  { event, byte_offset, length, unverified }: EventEntry,
  item: ShardItem | undefined,
): Diagnostic | undefined {
  const where = { byte_offset, length, line_number: line.line_number, uuid: event.uuid }
  const start = line.start + byte_offset - line.byte_offset
  // In other logs the field could be another tool's as long as no line is checksum-verified. In a
  // shard it is damage from the first line on, so that later lines do not change what earlier
  // ones are.
  if (unverified === true && checkChecksum(line.bytes, start, start + length) === 'wrong') {
    const message = 'The checksum is of other bytes: the line was changed after it was written'
    return diagnostic('crc_mismatch', message, where)
  }
  const isOurs = event.type === 'checkpoint' || event.type === 'checkpoint_tombstone'
  if (!isOurs || item !== undefined) return undefined
  return diagnostic('bad_payload', `The ${event.type} lacks a required field`, where)
}

/** `undefined` for an event of another type, or without the fields that an item needs. */
export function toItem(store: StoreContext, entry: EventEntry): ShardItem | undefined {
  const { event, byte_offset: byteOffset, length } = entry
  const fields = fieldsOf(event.payload)
  if (event.type === 'checkpoint_tombstone') {
    const { target_id: targetId } = fields
    return typeof targetId === 'string' ? { targetId } : undefined
  }
  if (event.type !== 'checkpoint') return undefined
  const { id, session_key: sessionKey, created_at, digest, memories } = fields
  const createdAtMs = typeof created_at === 'string' ? Date.parse(created_at) : Number.NaN
  if (Number.isNaN(createdAtMs) || typeof digest !== 'string') return undefined
  if (typeof id !== 'string' || typeof sessionKey !== 'string') return undefined
  const projectNormalized = projectIn(store, fields)
  const hasMemories = Array.isArray(memories) && memories.length > 0
  return { id, sessionKey, createdAtMs, projectNormalized, hasMemories, byteOffset, length }
}

/** Another writer may have left out the normalized one. */
function projectIn(
  store: StoreContext,
  { project, project_normalized }: Readonly<Record<string, unknown>>,
): string | null {
  if (typeof project_normalized === 'string') return project_normalized
  return typeof project === 'string' ? normalizeProject(store, project) : null
}

export function loadCheckpoint(
  log: OpenLog,
  { byteOffset, length }: Pick<CheckpointItem, 'byteOffset' | 'length'>,
): StoredCheckpoint {
  const bytes = Buffer.allocUnsafe(length)
  readFullySync(log, bytes, { at: 0, length, position: byteOffset })
  const { payload } = JSON.parse(bytes.toString()) as { payload: CheckpointPayload }
  return { checkpoint: payload, path: log.path, byteOffset, sha256: sha256Of(bytes) }
}

export function sha256Of(line: Uint8Array): string {
  return createHash('sha256').update(line).digest('hex')
}

// Which file holds a checkpoint. One shard per project, so that a process that has just started
// reads one short file and not those of all projects.

const SLUG_BYTES_MAX = 40
const HASH_DIGITS = 16
const NO_PROJECT = '_none'

/** The last folder of the path, for people, and a hash of all of it. */
export function shardNameOf(projectNormalized: string | null): string {
  if (projectNormalized === null) return NO_PROJECT + LOG_EXTENSION
  const hash = createHash('sha256').update(projectNormalized).digest('hex').slice(0, HASH_DIGITS)
  return `${slugOf(projectNormalized)}-${hash}${LOG_EXTENSION}`
}

export function shardPathOf({ layout }: StoreContext, projectNormalized: string | null): string {
  return join(layout.checkpoints, shardNameOf(projectNormalized))
}

export function listShards(store: StoreContext): string[] {
  const { checkpoints } = store.layout
  return listLogNames(store, checkpoints).map((name) => join(checkpoints, name))
}

/** As `readProject`, by the session's id. `undefined` when it has no transcript. */
export function readSessionProject(
  store: StoreContext,
  session: string,
): string | null | undefined {
  const path = store.layout.transcriptPath(normalizeSessionKey(session))
  try {
    return readProject(store, path)
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return undefined
  }
}

/**
 * Reads from the header of a transcript the project in whose shard the session keeps its
 * checkpoints: `null` when the header names none, `undefined` when there is no header.
 */
export function readProject(
  store: StoreContext,
  transcript: string | OpenLog,
): string | null | undefined {
  for (const entry of readLogSync(transcript, { environment: store.env })) {
    if (entry.kind !== 'event') continue
    if (entry.event.type !== 'session_header') return undefined
    return projectIn(store, fieldsOf(entry.event.payload))
  }
  return undefined
}

function slugOf(projectNormalized: string): string {
  const last = projectNormalized.split(/[\\/]/).findLast((segment) => segment !== '')
  // Cut in the middle of a %XX it would look like another name.
  const slug = encodeName(last ?? 'root')
    .slice(0, SLUG_BYTES_MAX)
    .replace(/%[0-9A-F]?$/, '')
  return slug === '' ? 'root' : slug
}
