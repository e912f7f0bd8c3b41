// A session start shows only the beginning of some texts. Each has an id, by which `readItem` reads
// all of it.

import { fieldsOf } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import {
  type CheckpointPayload,
  findCheckpoint,
  findEvent,
  loadSession,
  type StoreContext,
} from '../../store/index.js'
import { type RedactText, redactByDefault, redactWords } from '../redact-words.js'

export interface Item {
  readonly id: string
  readonly text: string
  readonly sessionId: string
  readonly ts: string
  /** The checkpoint that holds it; absent for a summary of the transcript. */
  readonly checkpointId?: string
}

export interface ReadItemOptions {
  /**
   * Redacts the text.
   *
   * @default the default redaction rules
   */
  redact?: RedactText | undefined
}

/** The id of a part of a checkpoint: its summary, its digest, or one of its memories. */
export function checkpointItemId(checkpointId: string, ...part: readonly string[]): string {
  return joinId('checkpoint', checkpointId, ...part)
}

export function compactionItemId(sessionKey: string, uuid: string): string {
  return joinId('compaction', sessionKey, uuid)
}

/** All of a text that `sessionStart` named. */
export function readItem(store: StoreContext, id: string, options: ReadItemOptions = {}): Item {
  const { redact = redactByDefault } = options
  if (typeof id !== 'string') throw new TypeError('The id of an item must be a string')
  const [kind, ...parts] = splitId(id)
  const found =
    kind === 'checkpoint'
      ? readFromCheckpoint(store, parts, redact)
      : kind === 'compaction'
        ? readSummary(store, parts, redact)
        : undefined
  if (found === undefined) throw new SessionError('ERR_NOT_FOUND', `No item "${id}"`, { id })
  return { id, ...found }
}

type Found = Omit<Item, 'id'> | undefined

function readFromCheckpoint(
  store: StoreContext,
  [checkpointId = '', part, index]: readonly string[],
  redact: RedactText,
): Found {
  const found = findCheckpoint(store, checkpointId)
  if (found?.visible !== true) return undefined
  const checkpoint = redactWords(found.checkpoint, redact)
  const text = partOf(checkpoint, part, index)
  if (typeof text !== 'string') return undefined
  const { id, session_key: sessionId, created_at: ts } = checkpoint
  return { text, sessionId, ts, checkpointId: id }
}

function partOf(checkpoint: CheckpointPayload, part?: string, index?: string): unknown {
  if (part === 'summary') return checkpoint.session_summary
  if (part === 'digest') return checkpoint.digest
  return part === 'memory' ? checkpoint.memories?.[Number(index)]?.content : undefined
}

function readSummary(
  store: StoreContext,
  [sessionId = '', uuid = '']: readonly string[],
  redact: RedactText,
): Found {
  const path = store.layout.transcriptPath(sessionId)
  const { log } = loadSession(store, path, { lazyPayloads: true })
  // As last revised; a summary that a later compaction covers is only in the file.
  const shown = log.projection.entries.find(
    (entry) => entry.kind === 'summary' && entry.event.uuid === uuid,
  )
  const event = shown?.kind === 'summary' ? shown.event : findEvent(store, path, uuid)?.event
  if (event?.type !== 'summary') return undefined
  const text = shown?.kind === 'summary' ? shown.text : fieldsOf(event.payload)['text']
  return typeof text === 'string' ? { text: redact(text), sessionId, ts: event.ts } : undefined
}

function joinId(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join(':')
}

function splitId(id: string): string[] {
  try {
    return id.split(':').map(decodeURIComponent)
  } catch {
    // Not an id that joinId made.
    return []
  }
}
