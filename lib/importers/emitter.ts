// What all importers do with a record: give it a uuid and a time of ours, say where its bytes
// stand, and hand the event over.

import { UNKNOWN_TIME } from '../format/index.js'
import { fieldsOf } from './fields.js'
import { type ForeignRecord, HEADER_UUID, type ImportContext, type ImportSink } from './importer.js'
import { toTime } from './time.js'
import { withoutPermissions } from './without-permissions.js'

/** Where the bytes of a record stand in the source. */
interface SourceMark {
  readonly offset: number
  readonly length: number
  readonly sha256: string
}

export interface Emission {
  readonly type: string
  readonly uuid: string
  readonly prev: string | null
  /** Of nobody else: it is added to. */
  readonly payload: Record<string, unknown>
  readonly task?: string | undefined
}

export interface Compaction {
  readonly summaryUuid: string
  readonly boundaryUuid: string
  readonly prev: string
  /** Empty: it commits, and nothing is said in its place. */
  readonly text: string
  /** Events that stay, in their order; or the first of them, with all that follow; or none. */
  readonly kept: readonly string[] | { readonly from: string } | null
  /** What is kept stands before the summary. */
  readonly isPrefixKept?: boolean | undefined
  readonly trigger: 'manual' | 'auto' | 'external'
  readonly tokensBefore?: number | undefined
  readonly tokensAfter?: number | undefined
  readonly summarized: number
  readonly epoch: number
  /** More to say about the summary. */
  readonly summaryFields?: Readonly<Record<string, unknown>> | undefined
  /** The record of the summary, where it is not that of the boundary. */
  readonly summaryRecord?: ForeignRecord | undefined
}

const SAFE_ID = /^[\x21\x23-\x5b\x5d-\x7e]{1,120}$/

export class Emitter {
  readonly sink: ImportSink
  readonly #format: string
  #lastTs: string

  constructor(format: string, { sink, facts }: ImportContext) {
    this.sink = sink
    this.#format = format
    this.#lastTs = facts.start_ts ?? UNKNOWN_TIME
  }

  get lastTs(): string {
    return this.#lastTs
  }

  /** The record's own time; where it has none, that of the one before. */
  timeOf(value: unknown, record: ForeignRecord): string {
    if (value === undefined || value === null) return this.#lastTs
    const ts = toTime(value)
    if (ts === undefined) this.sink.repaired('bad_time', record)
    else this.#lastTs = ts
    return ts ?? this.#lastTs
  }

  /** Its own id where that can be one of ours, else one made of its place and its bytes. */
  uuidOf(id: unknown, record: ForeignRecord): string {
    if (typeof id === 'string' && id !== HEADER_UUID && SAFE_ID.test(id)) return id
    if (id !== undefined && id !== null) this.sink.repaired('bad_id', record)
    return `${record.byte_offset}-${record.sha256.slice(0, 16)}`
  }

  emit({ type, uuid, prev, payload, task }: Emission, record: ForeignRecord, ts: string): void {
    const { byte_offset: offset, length, sha256 } = record
    const imported_from: SourceMark = { offset, length, sha256 }
    // Payloads are made for this one event; copying each costs as much as making it.
    const marked: Record<string, unknown> = payload
    marked['imported_from'] = imported_from
    this.sink.event({ type, uuid, prev_uuid: prev, ts, payload, task })
  }

  /** A record of a kind that has no counterpart here, as it is but for permissions. */
  verbatim(
    kind: string,
    at: { uuid: string; prev: string | null; task?: string | undefined },
    record: ForeignRecord,
    ts: string,
  ): void {
    const { value, isStripped } = withoutPermissions(record.value)
    if (isStripped) this.sink.dropped('permission_state', record)
    this.emit({ type: this.typeOf(kind), ...at, payload: { record: value } }, record, ts)
  }

  /** `codex:world_state`: a type of ours that says whose it is. */
  typeOf(kind: string): string {
    const name = kind.toLowerCase().replace(/[^a-z0-9_.-]+/g, '-')
    return `${this.#format}:${name === '' ? 'record' : name}`.slice(0, 64)
  }

  title(title: string, source: 'user' | 'auto', record: ForeignRecord, ts: string): void {
    const uuid = `${this.uuidOf(undefined, record)}~title`
    const payload = { title, title_source: source }
    this.emit({ type: 'session_meta', uuid, prev: null, payload }, record, ts)
  }

  /** The two events of a compaction that another program made. */
  compact(compaction: Compaction, record: ForeignRecord, ts: string): void {
    const { summaryUuid, boundaryUuid, prev, text, summaryFields, summaryRecord } = compaction
    const summary = {
      type: 'summary',
      uuid: summaryUuid,
      prev,
      payload: { text, ...summaryFields },
    }
    this.emit(summary, summaryRecord ?? record, ts)
    const payload = boundaryPayload(compaction)
    const boundary = { type: 'compaction_boundary', uuid: boundaryUuid, prev: summaryUuid, payload }
    this.emit(boundary, record, ts)
  }
}

function boundaryPayload(compaction: Compaction): Record<string, unknown> {
  const { summaryUuid, boundaryUuid, kept, isPrefixKept = false } = compaction
  const { tokensBefore = 0, tokensAfter } = compaction
  const uuids = Array.isArray(kept) && kept.length > 0 ? (kept as readonly string[]) : undefined
  const { from } = fieldsOf(kept)
  const head = uuids?.[0] ?? (typeof from === 'string' ? from : null)
  return {
    headUuid: head,
    anchorUuid: isPrefixKept ? boundaryUuid : summaryUuid,
    tailUuid: uuids?.at(-1) ?? head,
    summary_event_uuid: summaryUuid,
    trigger: compaction.trigger,
    strategy: 'external',
    epoch: compaction.epoch,
    // Its own place is known when it is written.
    offsets: { self: 0, head: null, tail: null, summary: null },
    tokens_before: tokensBefore,
    ...(tokensAfter !== undefined && { tokens_after: tokensAfter }),
    messages_summarized: compaction.summarized,
    needs_summary_retry: false,
    ...(uuids !== undefined && { keptUuids: uuids }),
  }
}
