// What stands in a shard, line by line: checkpoints, and tombstones that hide them. Read from the
// beginning of each line where our writer put it, else from the whole line.

import {
  type CheckpointLabel,
  CheckpointPrefix,
  checkChecksum,
  type Diagnostic,
  diagnostic,
} from '../format/index.js'
import type { EventEntry } from '../log/index.js'
import { type Line, type OpenLog, type WalkedLine, walkLines } from '../log/inside.js'
import { normalizeProject } from './project.js'
import { fieldsOf } from './session-digest-events.js'

export interface ItemPlace {
  readonly byte_offset: number
  /** Bytes of the record, without its newline. */
  readonly length: number
}

/** A hint of a checkpoint: its checksum is looked at when it is loaded. */
export interface CheckpointEntry extends CheckpointLabel, ItemPlace {
  readonly id: string
  readonly createdAtMs: number
}

/** Hides the checkpoints of this id that stand before it. */
export interface TombstoneEntry extends ItemPlace {
  readonly target_id: string
}

export type ShardItem = CheckpointEntry | TombstoneEntry

export function isTombstone(item: ShardItem): item is TombstoneEntry {
  return 'target_id' in item
}

export type Report = (diagnostic: Diagnostic) => void

/** Newest first; reads no further than somebody goes on asking. */
export function* itemsFromEnd(log: OpenLog, report: Report): Generator<ShardItem, void, undefined> {
  const prefix = new CheckpointPrefix()
  for (const walked of walkLines(log, { isBackward: true })) {
    const { line } = walked
    if (isPrefixRead(prefix, line)) yield entryOf(prefix, line)
    else yield* decodedItems(walked, log, report).reverse()
  }
}

const OPENING_BRACE = 0x7b
// Inside of texts it would be escaped.
const RECORD_START = Buffer.from('{"type":"')

/**
 * Whether the line is one checkpoint as we write it; then the prefix is about it. Where another
 * record may stand behind it on the same line, both have to be decoded.
 */
export function isPrefixRead(prefix: CheckpointPrefix, line: Line): boolean {
  const { bytes, start, end } = line
  if (!line.isEnded || line.isOversize || !prefix.read(bytes, start, end)) return false
  const brace = bytes.indexOf(OPENING_BRACE, prefix.end)
  if (brace === -1 || brace > end) return true
  const next = bytes.indexOf(RECORD_START, brace)
  return next === -1 || next > end
}

function entryOf(prefix: CheckpointPrefix, { bytes, byte_offset, length }: Line): CheckpointEntry {
  const id = bytes.toString('latin1', prefix.idStart, prefix.idEnd)
  return { id, createdAtMs: prefix.createdAtMs, ...prefix.label, byte_offset, length }
}

/** The items of a line that has to be decoded: of another writer, damaged, or no checkpoint. */
export function decodedItems(walked: WalkedLine, log: OpenLog, report: Report): ShardItem[] {
  return walked.decode().flatMap((entry) => {
    const item = entry.kind === 'event' ? itemOf(entry) : undefined
    const problem = entry.kind === 'event' ? problemOf(walked.line, entry, item) : undefined
    for (const found of problem === undefined ? (entry.diagnostics ?? []) : [problem]) {
      report({ ...found, file: log.path })
    }
    return item === undefined || problem !== undefined ? [] : [item]
  })
}

/** Why an event of a shard cannot be taken as what it says. */
function problemOf(
  line: Line,
  { event, byte_offset, length, unverified }: EventEntry,
  item: ShardItem | undefined,
): Diagnostic | undefined {
  const where = { byte_offset, length, line_number: line.line_number, uuid: event.uuid }
  const start = line.start + byte_offset - line.byte_offset
  // Elsewhere that could be the checksum of another tool, as long as no line proves itself. Here
  // it is damage from the first line on, so that later lines do not change what earlier ones are.
  if (unverified === true && checkChecksum(line.bytes, start, start + length) === 'wrong') {
    const message = 'The checksum is of other bytes: the line was changed after it was written'
    return diagnostic('crc_mismatch', message, where)
  }
  const isOurs = event.type === 'checkpoint' || event.type === 'checkpoint_tombstone'
  if (!isOurs || item !== undefined) return undefined
  return diagnostic('bad_payload', `The ${event.type} does not say what it is about`, where)
}

/** `undefined` for an event that is neither, or does not say what it is about. */
export function itemOf(entry: EventEntry): ShardItem | undefined {
  if (entry.event.type === 'checkpoint') return checkpointItem(entry)
  return entry.event.type === 'checkpoint_tombstone' ? tombstoneItem(entry) : undefined
}

function checkpointItem({ event, byte_offset, length }: EventEntry): CheckpointEntry | undefined {
  const payload = fieldsOf(event.payload)
  const { id, session_key, project, project_normalized, created_at, trigger } = payload
  if (typeof id !== 'string' || typeof session_key !== 'string') return undefined
  const createdAtMs = typeof created_at === 'string' ? Date.parse(created_at) : Number.NaN
  if (Number.isNaN(createdAtMs)) return undefined
  return {
    id,
    createdAtMs,
    session_key,
    project_normalized: normalizedOf(project_normalized, project),
    trigger: typeof trigger === 'string' ? trigger : '',
    byte_offset,
    length,
  }
}

function tombstoneItem({ event, byte_offset, length }: EventEntry): TombstoneEntry | undefined {
  const { target_id } = fieldsOf(event.payload)
  return typeof target_id === 'string' ? { target_id, byte_offset, length } : undefined
}

/** Another writer may have left it to us. */
function normalizedOf(normalized: unknown, project: unknown): string | null {
  if (typeof normalized === 'string') return normalized
  return typeof project === 'string' ? normalizeProject(project) : null
}
