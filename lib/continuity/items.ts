// What a session start shows only the beginning of has an id, by which all of it can be read.

import { fieldsOf } from '../chain/index.js'
import { SessionError } from '../errors.js'
import {
  type CheckpointIndexOptions,
  type CheckpointPayload,
  findCheckpoint,
  findEvent,
  layoutOf,
  loadSession,
} from '../store/index.js'
import { type RedactText, redactByDefault, redactWords } from './served.js'

export interface Item {
  readonly id: string
  readonly text: string
  readonly session_id: string
  readonly ts: string
  /** The checkpoint it stands in; absent for a summary of the transcript. */
  readonly checkpoint_id?: string
}

export interface ReadItemOptions extends CheckpointIndexOptions {
  redact?: RedactText | undefined
}

export function summaryItemId(checkpointId: string): string {
  return idOf('checkpoint', checkpointId, 'summary')
}

export function digestItemId(checkpointId: string): string {
  return idOf('checkpoint', checkpointId, 'digest')
}

export function memoryItemId(checkpointId: string, index: number): string {
  return idOf('checkpoint', checkpointId, 'memory', String(index))
}

export function compactionItemId(sessionKey: string, uuid: string): string {
  return idOf('compaction', sessionKey, uuid)
}

/** All of a text that `sessionStart` named. */
export function readItem(id: string, options: ReadItemOptions = {}): Item {
  if (typeof id !== 'string') throw new TypeError('The id of an item must be a string')
  const [kind, ...parts] = partsOf(id)
  const item =
    kind === 'checkpoint'
      ? readFromCheckpoint(id, parts, options)
      : kind === 'compaction'
        ? readSummary(id, parts, options)
        : undefined
  if (item === undefined) throw new SessionError('ERR_NOT_FOUND', `No item "${id}"`, { id })
  return item
}

function readFromCheckpoint(
  id: string,
  [checkpointId = '', part, index]: readonly string[],
  options: ReadItemOptions,
): Item | undefined {
  const found = findCheckpoint(checkpointId, options)
  if (found?.isVisible !== true) return undefined
  const checkpoint = redactWords(found.checkpoint, options.redact)
  const text = textOf(checkpoint, part, index)
  if (typeof text !== 'string') return undefined
  const { session_key: session_id, created_at: ts } = checkpoint
  return { id, text, session_id, ts, checkpoint_id: checkpoint.id }
}

function textOf(checkpoint: CheckpointPayload, part?: string, index?: string): unknown {
  if (part === 'summary') return checkpoint.session_summary
  if (part === 'digest') return checkpoint.digest
  return part === 'memory' ? checkpoint.memories?.[Number(index)]?.content : undefined
}

function readSummary(
  id: string,
  [session_id = '', uuid = '']: readonly string[],
  options: ReadItemOptions,
): Item | undefined {
  const { redact = redactByDefault } = options
  const layout = layoutOf(options)
  const path = layout.transcriptPath(session_id)
  const { log } = loadSession(path, { layout, lazyPayloads: true })
  // As it was last revised; one that a later compaction has taken in stands in the file as it was.
  const shown = log.projection.entries.find(
    (entry) => entry.kind === 'summary' && entry.event.uuid === uuid,
  )
  const event = shown?.kind === 'summary' ? shown.event : findEvent(path, uuid)?.event
  if (event?.type !== 'summary') return undefined
  const text = shown?.kind === 'summary' ? shown.text : fieldsOf(event.payload)['text']
  if (typeof text !== 'string') return undefined
  return { id, text: redact(text), session_id, ts: event.ts }
}

function idOf(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join(':')
}

function partsOf(id: string): string[] {
  try {
    return id.split(':').map(decodeURIComponent)
  } catch {
    // Not one of ours.
    return []
  }
}
