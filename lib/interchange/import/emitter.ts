// What all importers share: the record being read, its uuid and time, and the events made of it,
// each with the position of its bytes in the source.

import { hash } from 'node:crypto'
import { isPermissionType, UNKNOWN_TIME, withoutPermissionState } from '../../format/index.js'
import { UuidIndex } from '../../log/index.js'
import { fieldsOf, known, toTime } from './fields.js'
import {
  type DropReason,
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
  type ImportSink,
  type RepairReason,
} from './importer.js'

/** The record that an event is made of, and its time. */
export interface Origin {
  readonly record: ForeignRecord
  readonly ts: string
}

/** Where an event is in our chain; `prev` is `null` off-chain. */
export interface Position {
  readonly uuid: string
  readonly prev: string | null
  readonly task?: string | undefined
}

export interface Emission extends Position {
  readonly type: string
  /** Made for this one event: `imported_from` is added to it. */
  readonly payload: Record<string, unknown>
}

export interface Compaction {
  readonly summaryUuid: string
  readonly boundaryUuid: string
  readonly prev: string
  /** Empty if the source has no summary. */
  readonly text: string
  /** Events that stay, in their order; or the first of them, with all that follow; or none. */
  readonly kept: readonly string[] | { readonly from: string } | null
  /** What is kept comes before the summary. */
  readonly isPrefixKept?: boolean | undefined
  /** The last event that it covers; what follows that one stays. Without it, all are covered. */
  readonly coveredTo?: string | undefined
  readonly trigger: 'manual' | 'auto' | 'external'
  readonly tokensBefore?: number | undefined
  readonly tokensAfter?: number | undefined
  readonly summarized: number
  readonly epoch: number
  /** More fields of the summary. */
  readonly summaryFields?: Readonly<Record<string, unknown>> | undefined
  /** The record of the summary, where it is not that of the boundary. */
  readonly summaryRecord?: ForeignRecord | undefined
}

const SAFE_ID = /^[\x21\x23-\x5b\x5d-\x7e]{1,120}$/

export class Emitter {
  readonly sink: ImportSink
  readonly #format: string
  readonly #ids = new UuidIndex()
  /** The name of a file that is not the first → what its uuids end with. */
  readonly #tags = new Map<string, string>()
  #lastTs: string
  #origin!: Origin

  constructor(format: string, { sink, facts }: ImportContext) {
    this.sink = sink
    this.#format = format
    this.#lastTs = facts.startTs ?? UNKNOWN_TIME
  }

  /** Call it first for every record: what follows is made of it. */
  begin(record: ForeignRecord, time: unknown): void {
    this.#origin = { record, ts: this.#lastTs }
    this.#origin = { record, ts: this.readTime(time) }
  }

  get origin(): Origin {
    return this.#origin
  }

  get lastTs(): string {
    return this.#lastTs
  }

  get #record(): ForeignRecord {
    return this.#origin.record
  }

  drop(reason: DropReason): void {
    this.sink.dropped(reason, this.#record)
  }

  repair(reason: RepairReason): void {
    this.sink.repaired(reason, this.#record)
  }

  /** The model might see this part of the record, and we do not know what it means. */
  leaveUninterpreted(type: string): void {
    this.sink.uninterpreted(type, this.#record)
  }

  /** A time of the record; without one, that of the record before. */
  readTime(value: unknown): string {
    if (value === undefined || value === null) return this.#lastTs
    const ts = toTime(value)
    if (ts === undefined) this.repair('bad_time')
    else this.#lastTs = ts
    return this.#lastTs
  }

  /** The id itself if it can be one of our uuids, else one made of the record's position and bytes. */
  uuidOf(id?: unknown, record = this.#record): string {
    if (typeof id === 'string' && id !== HEADER_UUID && SAFE_ID.test(id)) return id
    if (id !== undefined && id !== null) this.sink.repaired('bad_id', record)
    const name = `${record.byteOffset}-${record.sha256.slice(0, 16)}`
    // Records of two files may have the same position and the same bytes.
    return record.source === undefined ? name : `${name}-${this.#tagOf(record.source)}`
  }

  #tagOf(source: string): string {
    const known = this.#tags.get(source)
    if (known !== undefined) return known
    const tag = hash('sha256', source, 'hex').slice(0, 8)
    this.#tags.set(source, tag)
    return tag
  }

  /** False, and the record is dropped, if a record of that id was read before. */
  isFirst(id: string): boolean {
    // A few bytes per id, so that files of any size can be checked.
    if (this.#ids.find(id) !== undefined) {
      this.drop('repeated_record')
      return false
    }
    this.#ids.add(id, 0)
    return true
  }

  emit({ type, uuid, prev, payload, task }: Emission, { record, ts } = this.#origin): void {
    const { byteOffset: offset, length, sha256, source } = record
    const { value, removed } = withoutPermissionState(payload, { isResult: type === 'tool_result' })
    if (removed > 0) this.sink.dropped('permission_state', record)
    // Not copied: that would cost as much as making it.
    const mark = { offset, length, sha256 }
    value['imported_from'] = source === undefined ? mark : { ...mark, source }
    this.sink.event({ type, uuid, prev_uuid: prev, ts, payload: value, task })
  }

  /**
   * Emits a record of a kind that we do not have, unchanged but without permission state. A record
   * that is nothing else keeps its place in the chain, and loses its content.
   */
  keep(
    kind: string,
    at: Position = { uuid: this.uuidOf(), prev: null },
    value: unknown = this.#record.value,
    origin?: Origin,
  ): void {
    const type = this.#toType(kind)
    if (!isPermissionType(type)) {
      this.emit({ ...at, type, payload: { record: value } }, origin)
      return
    }
    this.drop('permission_state')
    if (at.prev === null) return
    this.emit({ ...at, type: this.#toType('left_out'), payload: { record: null } }, origin)
  }

  /** `codex:world_state`: a type that names the format it comes from. */
  #toType(kind: string): string {
    const name = kind.toLowerCase().replace(/[^a-z0-9_.-]+/g, '-')
    return `${this.#format}:${name === '' ? 'record' : name}`.slice(0, 64)
  }

  title(title: string, source: 'user' | 'auto'): void {
    this.meta('title', { title, title_source: source })
  }

  /** Emits a fact about the session, off-chain. */
  meta(name: string, payload: Record<string, unknown>): void {
    const uuid = `${this.uuidOf()}~${name}`
    this.emit({ type: 'session_meta', uuid, prev: null, payload })
  }

  /**
   * Emits an edit of an earlier message, off-chain: its new payload, or `null` to remove it from what
   * the model sees. `name` distinguishes several edits made of one record.
   */
  edit(target: string, payload: Readonly<Record<string, unknown>> | null, name = 'edit'): void {
    const uuid = `${this.uuidOf()}~${name}`
    const edit = { target_uuid: target, payload }
    this.emit({ type: 'message_edit', uuid, prev: null, payload: edit })
  }

  /** Emits the two events of a compaction that another program made. */
  compact(compaction: Compaction, origin = this.#origin): void {
    const { summaryUuid, boundaryUuid, prev, text, summaryFields, summaryRecord } = compaction
    const payload = { text, ...summaryFields }
    const record = summaryRecord ?? origin.record
    this.emit({ type: 'summary', uuid: summaryUuid, prev, payload }, { ...origin, record })
    this.emit(
      {
        type: 'compaction_boundary',
        uuid: boundaryUuid,
        prev: summaryUuid,
        payload: toBoundary(compaction),
      },
      origin,
    )
  }
}

function toBoundary(compaction: Compaction): Record<string, unknown> {
  const { summaryUuid, boundaryUuid, kept, isPrefixKept = false } = compaction
  const uuids = Array.isArray(kept) && kept.length > 0 ? (kept as readonly string[]) : undefined
  const { from } = fieldsOf(kept) as ForeignValue & { from?: string }
  const head = uuids?.[0] ?? from ?? null
  return known({
    headUuid: head,
    anchorUuid: isPrefixKept ? boundaryUuid : summaryUuid,
    tailUuid: uuids?.at(-1) ?? head,
    coveredToUuid: compaction.coveredTo,
    summary_event_uuid: summaryUuid,
    trigger: compaction.trigger,
    strategy: 'external',
    epoch: compaction.epoch,
    // Its own offset is known when it is written.
    offsets: { self: 0, head: null, tail: null, summary: null },
    tokens_before: compaction.tokensBefore ?? 0,
    tokens_after: compaction.tokensAfter,
    messages_summarized: compaction.summarized,
    needs_summary_retry: false,
    keptUuids: uuids,
  })
}
