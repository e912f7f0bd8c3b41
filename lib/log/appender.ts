// Drafts in, lines on the disk: the one place where a log grows. Everything here is one
// synchronous step under a lock that somebody else holds.
//
// Before the first line is encoded, look whether others wrote, and continue from their tip; after
// the write, look whether our lines are there whole. Nobody who respects the kernel lock can
// write while we hold it, so there a look at sync points and every 50 ms is enough.

import { isDeepStrictEqual } from 'node:util'
import { SessionError } from '../errors.js'
import { type Diagnostic, diagnostic, isOnChain, NEWLINE, quoteUuid } from '../format/index.js'
import type { AppendPlace } from './append-place.js'
import { Batch } from './batch.js'
import type { Draft } from './draft.js'
import { type Environment, isoOf } from './environment.js'
import type { LogState } from './fence.js'
import { contestedError, REPEATS_MAX } from './foreign-writer.js'
import type { LogObserver } from './options.js'
import type { Receipt } from './receipt.js'
import type { DraftTrailer } from './trailer.js'
import { WrittenEvent } from './written-event.js'

const NEWLINE_BYTES = Buffer.from([NEWLINE])

export interface AppenderSettings {
  readonly environment: Environment
  readonly hasLineNumbers: boolean
  /** What to do with a prev_uuid that nothing in reach has. */
  readonly danglingPrev: 'refuse' | 'report'
  readonly report: (diagnostic: Diagnostic) => void
  readonly observer: LogObserver | undefined
  readonly trailer: DraftTrailer | undefined
}

/** The events somebody wants written together, and what became of them. */
export interface Call {
  readonly drafts: readonly Draft[]
  /** The receipts, or why it was refused; there once `append` has returned. */
  answer: Receipt[] | SessionError | undefined
}

export class Appender {
  readonly #place: AppendPlace
  readonly #file: AppendPlace['file']
  readonly #known: AppendPlace['known']
  readonly #fence: AppendPlace['fence']
  readonly #settings: AppenderSettings
  readonly #batch = new Batch()
  #tip: string | null = null
  #tipJson = 'null'
  #newlineCount: number | undefined

  constructor(place: AppendPlace, settings: AppenderSettings) {
    this.#place = place
    this.#file = place.file
    this.#known = place.known
    this.#fence = place.fence
    this.#settings = settings
    this.#take(place.state)
  }

  get tip(): string | null {
    return this.#tip
  }

  get size(): number {
    return this.#file.size
  }

  /**
   * Writes the events of several calls at once. Each call is taken whole or refused whole, and its
   * answer says which. Throws when the disk refuses: then none of them is acknowledged.
   * `isWatchful`: look before and after, also where nobody should be able to disturb.
   */
  append(calls: readonly Call[], isWatchful: boolean): void {
    const now = this.#settings.environment.now()
    if (isWatchful || !this.#place.isAlone() || this.#fence.isDue(now)) this.look()
    const batch = this.#batch
    batch.reset(this.#tip, this.#tipJson)
    const ts = isoOf(now)
    for (const call of calls) call.answer = this.#encodeCall(call.drafts, batch, ts)
    if (batch.lines.length === 0) return
    this.#addTrailer(batch, ts)
    this.#write(batch)
    this.#tip = batch.tip
    this.#tipJson = batch.tipJson
    if (!this.#place.isAlone() || isWatchful) this.#correct(batch, this.look())
  }

  /** Looks whether the file is as this writer left it, and takes over what others added. */
  look(): ReadonlyMap<string, number> {
    let offsets: ReadonlyMap<string, number> = new Map()
    for (let repeats = 0; ; repeats++) {
      const finding = this.#fence.look({ isForced: repeats > 0 })
      if (finding === undefined) break
      this.#settings.report(finding.diagnostic)
      this.#settings.observer?.foreign()
      this.#take(finding.state)
      offsets = finding.offsets
      if (finding.unreadable.length === 0) break
      if (repeats === REPEATS_MAX) throw contestedError(this.#file.path)
      this.#writeAgain(finding.unreadable)
    }
    this.#fence.settle(this.#settings.environment.now(), this.#state)
    return offsets
  }

  // Somebody wrote between our look and our write, so the lines stand later than was said.
  #correct(batch: Batch, offsets: ReadonlyMap<string, number>): void {
    for (const { receipt } of batch.lines) {
      const offset = offsets.get(receipt.uuid)
      if (offset === undefined) continue
      receipt.byte_offset = offset
      if (this.#settings.hasLineNumbers) {
        receipt.line_number = this.#place.countNewlines(offset) + 1
      }
    }
  }

  get #state(): LogState {
    return { tip: this.#tip, newlineCount: this.#newlineCount }
  }

  #take({ tip, newlineCount }: LogState): void {
    this.#tip = tip
    this.#tipJson = tip === null ? 'null' : quoteUuid(tip)
    this.#newlineCount = newlineCount
  }

  #encodeCall(drafts: readonly Draft[], batch: Batch, now: string): Receipt[] | SessionError {
    const { byteLength, tip, tipJson } = batch
    const lineCount = batch.lines.length
    const receipts: Receipt[] = []
    try {
      for (const draft of drafts) receipts.push(this.#encodeDraft(draft, batch, now))
      return receipts
    } catch (error) {
      if (!(error instanceof SessionError)) throw error
      batch.backTo(lineCount, byteLength, tip, tipJson)
      return error
    }
  }

  #addTrailer(batch: Batch, now: string): void {
    const { lines, byteLength } = batch
    const start = this.#file.size
    const draft = this.#settings.trailer?.({ lines, start, end: start + byteLength })
    if (draft !== undefined) this.#encodeDraft(draft, batch, now)
  }

  #encodeDraft(draft: Draft, batch: Batch, now: string): Receipt {
    const { type, ts = now } = draft
    let { uuid } = draft
    if (uuid === undefined) {
      uuid = this.#settings.environment.newUuid()
    } else {
      const earlier = this.#findEarlier(draft, uuid, batch)
      if (earlier !== undefined) return earlier
      batch.hasCallerUuids = true
    }
    const prevJson = this.#linkOf(draft, batch)
    const isolation = this.#file.isTailTorn ? 1 : 0
    const byte_offset = this.#file.size + isolation + batch.byteLength
    const payloadJson = draft.payloadJsonAt?.(byte_offset) ?? draft.payloadJson
    const receipt = this.#settings.hasLineNumbers
      ? { uuid, byte_offset, line_number: this.#nextLine() + batch.lines.length }
      : { uuid, byte_offset }
    batch.add({ type, ts, uuid, prevJson, payloadJson, receipt }, draft.isOnChain)
    return receipt
  }

  #linkOf(draft: Draft, batch: Batch): string {
    if (draft.isHeader) {
      if (this.#file.size === 0 && batch.lines.length === 0) return 'null'
      throw new SessionError('ERR_ARG', `A "${draft.type}" stands only at the start of a log`, {
        path: this.#file.path,
      })
    }
    if (!draft.isOnChain) return 'null'
    const { prevUuid } = draft
    if (prevUuid === undefined || prevUuid === batch.tip) return batch.tipJson
    if (!this.#isOnChain(prevUuid, batch)) this.#refuseOrReport(prevUuid)
    return quoteUuid(prevUuid)
  }

  /** What stands beside the chain can be followed as little as what is not there. */
  #isOnChain(uuid: string, batch: Batch): boolean {
    const line = batch.lines.find((one) => one.uuid === uuid)
    if (line !== undefined) {
      const { type, prevJson } = line
      return isOnChain({ type, prev_uuid: prevJson === 'null' ? null : prevJson })
    }
    const found = this.#known.find(uuid, this.#file.size)
    return found !== undefined && isOnChain(found.event)
  }

  #refuseOrReport(prevUuid: string): void {
    const { path } = this.#file
    const what = `prev_uuid "${prevUuid}" names no event on the chain of ${path}`
    if (this.#settings.danglingPrev === 'refuse') {
      throw new SessionError('ERR_DANGLING_PREV', what, { path, prev_uuid: prevUuid })
    }
    this.#settings.report(diagnostic('dangling_prev', what, { file: path, uuid: prevUuid }))
  }

  /** The receipt of an event that is in the log already; refuses another event of the same uuid. */
  #findEarlier(draft: Draft, uuid: string, batch: Batch): Receipt | undefined {
    const inBatch = batch.find(uuid)
    if (inBatch !== undefined) {
      const { type, payloadJson } = inBatch
      if (isSameEvent(draft, type, payloadJson)) return { ...inBatch.receipt, duplicate: true }
      throw this.#conflictError(uuid)
    }
    const found = this.#known.find(uuid, this.#file.size)
    if (found === undefined) return undefined
    const { byte_offset, event } = found
    if (!isSameEvent(draft, event.type, jsonOf(event.payload))) {
      throw this.#conflictError(uuid)
    }
    if (!this.#settings.hasLineNumbers) return { uuid, byte_offset, duplicate: true }
    const line_number = this.#place.countNewlines(byte_offset) + 1
    return { uuid, byte_offset, line_number, duplicate: true }
  }

  #nextLine(): number {
    const count = this.#newlineCount ?? this.#place.countNewlines(this.#file.size)
    this.#newlineCount = count
    return count + 1 + (this.#file.isTailTorn ? 1 : 0)
  }

  #write(batch: Batch): void {
    const isolate = this.#file.isTailTorn
    try {
      batch.writeTo(this.#file, isolate)
    } catch (error) {
      // Some lines may be whole all the same. The next look takes them over like anybody's.
      this.#fence.expire()
      throw error
    }
    if (this.#newlineCount !== undefined) {
      this.#newlineCount += batch.lines.length + (isolate ? 1 : 0)
    }
    for (const { uuid } of batch.lines) this.#fence.remember(uuid)
    this.#tell(batch)
    if (batch.hasCallerUuids) this.#known.addLines(batch.lines, this.#file.size)
  }

  #tell({ lines }: Batch): void {
    const { observer } = this.#settings
    if (observer === undefined) return
    for (const line of lines) observer.wrote(new WrittenEvent(line), line.receipt.byte_offset)
  }

  #writeAgain(lines: readonly Buffer[]): void {
    const start = this.#file.isTailTorn ? [NEWLINE_BYTES] : []
    this.#file.write(Buffer.concat([...start, ...lines]))
  }

  #conflictError(uuid: string): SessionError {
    const { path } = this.#file
    return new SessionError(
      'ERR_UUID_CONFLICT',
      `${path} holds another event with the uuid "${uuid}"`,
      { path, uuid },
    )
  }
}

/** One call by itself. */
export function appendOne(
  appender: Appender,
  drafts: readonly Draft[],
  isWatchful: boolean,
): Receipt[] {
  const call: Call = { drafts, answer: undefined }
  appender.append([call], isWatchful)
  if (!Array.isArray(call.answer)) throw call.answer
  return call.answer
}

// A stranger's line may have no payload, or one that nests deeper than any of ours and than the stack.
function jsonOf(payload: unknown): string | undefined {
  try {
    return JSON.stringify(payload)
  } catch {
    // It was read from a file, so only its depth can have been refused.
    return undefined
  }
}

function isSameEvent(draft: Draft, type: string, payloadJson: string | undefined): boolean {
  if (draft.type !== type || payloadJson === undefined) return false
  if (draft.payloadJson === payloadJson) return true
  return isDeepStrictEqual(JSON.parse(draft.payloadJson), JSON.parse(payloadJson))
}
