// Builds logs for tests as a writer would: each call appends a line that follows the tip, with
// true byte offsets. Then it lets things happen to them that no writer would do.

import { projectLog } from '../../lib/chain/index.js'
import {
  LineEncoder,
  linkOf,
  quoteUuid,
  type SessionEvent,
  TipRule,
} from '../../lib/format/index.js'

export interface HistoryLine {
  readonly event: SessionEvent
  readonly byte_offset: number
  readonly bytes: Buffer
  readonly isDamaged: boolean
}

export interface Draft {
  readonly type: string
  readonly uuid: string
  /** Default: the tip. */
  readonly prev_uuid?: string | null
  readonly payload?: unknown
}

export interface Cut {
  /** The uuid of the summary; the boundary's is the same with a B for its S. */
  readonly summary: string
  readonly text?: string
  readonly head?: string | null
  readonly tail?: string | null
  readonly isPrefix?: boolean
  readonly coveredTo?: string | undefined
  readonly keptUuids?: readonly string[] | undefined
  /** Fields that replace or add to those of the boundary. */
  readonly fields?: Readonly<Record<string, unknown>>
}

const encoder = new LineEncoder()

export class History {
  readonly file: string
  readonly lines: HistoryLine[] = []
  readonly #seen = new Set<string>()
  readonly #rule = new TipRule((uuid) => this.#seen.has(uuid))
  #size = 0
  #epoch = 0

  constructor({ file = 'log', header = 'H' }: { file?: string; header?: string | null } = {}) {
    this.file = file
    if (header !== null) this.header(header)
  }

  get tip(): string | null {
    return this.#rule.tip
  }

  get size(): number {
    return this.#size
  }

  /** What a reader finds: the lines that are whole, in their order. */
  get events(): readonly HistoryLine[] {
    return this.lines.filter(({ isDamaged }) => !isDamaged)
  }

  /** The file as it is on disk, including the bytes of damaged lines. */
  get bytes(): Buffer {
    return Buffer.concat(this.lines.map((line) => (line.isDamaged ? ruined(line) : line.bytes)))
  }

  header(uuid: string, payload: Readonly<Record<string, unknown>> = {}): this {
    const start = { format: 1, session_id: this.file, start_ts: TS, resumed_from: null, lib: LIB }
    return this.add({
      type: 'session_header',
      uuid,
      prev_uuid: null,
      payload: { ...start, ...payload },
    })
  }

  /** Messages of the user, one per uuid. */
  m(...uuids: readonly string[]): this {
    for (const uuid of uuids) this.add({ type: 'user', uuid, payload: { content: `says ${uuid}` } })
    return this
  }

  /** A summary and its boundary, as one append would write them. */
  compact(cut: Cut): this {
    this.summary(cut.summary, cut.text)
    return this.boundary(cut)
  }

  summary(uuid: string, text = `sums up ${uuid}`): this {
    return this.add({ type: 'summary', uuid, payload: { text } })
  }

  boundary({ summary, head = null, tail = null, isPrefix = false, coveredTo, ...more }: Cut): this {
    const uuid = summary.replace('S', 'B')
    const offsets = {
      self: this.#size,
      head: this.offsetOf(head),
      tail: this.offsetOf(tail),
      summary: this.offsetOf(summary),
    }
    this.#epoch++
    const payload = {
      headUuid: head,
      anchorUuid: isPrefix ? uuid : summary,
      tailUuid: tail,
      summary_event_uuid: summary,
      trigger: 'manual',
      strategy: more.keptUuids === undefined ? 'primary' : 'external',
      epoch: this.#epoch,
      offsets,
      tokens_before: 1000,
      messages_summarized: 1,
      needs_summary_retry: false,
      ...(coveredTo === undefined ? {} : { coveredToUuid: coveredTo }),
      ...(more.keptUuids === undefined ? {} : { keptUuids: more.keptUuids }),
      ...more.fields,
    }
    return this.add({ type: 'compaction_boundary', uuid, payload })
  }

  /** A rewind is a new line; `prev_uuid` says where it goes back to. */
  rewind(uuid: string, prev_uuid: string | null, truncate_after?: string): this {
    const target_uuid = truncate_after ?? prev_uuid
    const payload = { target_uuid, from_uuid: this.tip, truncate_after }
    return this.add({ type: 'rewind', uuid, prev_uuid, payload })
  }

  edit(target_uuid: string, payload: unknown): this {
    const uuid = `edit-${this.lines.length}`
    return this.add({
      type: 'message_edit',
      uuid,
      prev_uuid: null,
      payload: { target_uuid, payload },
    })
  }

  revise(summary: string, text: string): this {
    const uuid = `revision-${this.lines.length}`
    const names = { summary_event_uuid: summary, boundary_uuid: summary.replace('S', 'B') }
    const payload = { ...names, text, attempt: 1, final: true }
    return this.add({ type: 'summary_revision', uuid, prev_uuid: null, payload })
  }

  /** The same uuid once more, behind the tip: a retry that found no trace of the first. */
  again(uuid: string): this {
    return this.add({ type: 'user', uuid, payload: { content: `says ${uuid} again` } })
  }

  /** The same bytes once more, at the end: a copied block. */
  copy(position: number): this {
    const { type, uuid, prev_uuid, payload } = this.lines[position]!.event
    return this.add({ type, uuid, prev_uuid, payload })
  }

  /** The last line with that uuid can no longer be read. */
  damage(uuid: string): this {
    const position = this.lines.findLastIndex(({ event }) => event.uuid === uuid)
    return this.damageAt(position)
  }

  damageAt(position: number): this {
    this.lines[position] = { ...this.lines[position]!, isDamaged: true }
    return this
  }

  add({ type, uuid, prev_uuid = this.tip, payload = {} }: Draft): this {
    const byte_offset = this.#size
    const event: SessionEvent = deepFreeze({ type, ts: TS, uuid, prev_uuid, payload })
    const bytes = encode(event)
    this.lines.push({ event, byte_offset, bytes, isDamaged: false })
    this.#size += bytes.length
    this.#rule.take(linkOf(event, byte_offset))
    this.#seen.add(uuid)
    return this
  }

  offsetOf(uuid: string | null): number | null {
    return this.lines.findLast(({ event }) => event.uuid === uuid)?.byte_offset ?? null
  }

  /** The uuids of the projection as it is now, without a parent's. */
  get shown(): string[] {
    const { projection } = projectLog(this.events, { file: this.file })
    return projection.entries.flatMap((entry) => ('event' in entry ? entry.event.uuid : []))
  }
}

const TS = '2025-01-01T00:00:00.000Z'
const LIB = { name: 'jsonl-session', version: '0.0.0', capture: 'native' }

function encode({ type, ts, uuid, prev_uuid, payload }: SessionEvent): Buffer {
  encoder.reset()
  encoder.addEvent({
    type,
    ts,
    uuid,
    prevJson: prev_uuid === null ? 'null' : quoteUuid(prev_uuid),
    payloadJson: JSON.stringify(payload),
  })
  return Buffer.from(encoder.bytes({ isolate: false }))
}

function ruined({ bytes }: HistoryLine): Buffer {
  return Buffer.concat([Buffer.alloc(bytes.length - 1, '?'), bytes.subarray(-1)])
}

/** Code that changes a stored event fails the test. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}
