// Drafts in, lines on the disk: the one place where a log grows. Everything here is one
// synchronous step under a lock that the caller holds.
//
// Before the first line is encoded, look whether others wrote, and continue from their tip; after
// the write, look whether our lines are there whole. No process that respects the kernel lock can
// write while we hold it, so there a look at sync points and every 50 ms is enough.

import { isDeepStrictEqual } from 'node:util'
import { toIso } from '../../environment/index.js'
import { SessionError } from '../../errors.js'
import {
  type Diagnostic,
  diagnostic,
  FORMAT_VERSION,
  hasChain,
  isHeaderType,
  isOnChain,
  NEWLINE,
  quoteUuid,
} from '../../format/index.js'
import type { HeldLock } from '../lock/acquire.js'
import type { Receipt } from '../log-handle.js'
import type { LogSettings } from '../options.js'
import { type OpenLog, readEventAt } from '../read/open-for-reading.js'
import { countNewlines } from '../read/scan.js'
import { type FoundTip, findTip } from './find-tip.js'
import {
  contestedError,
  ForeignWriteDetector,
  LogFile,
  type LogState,
  REPEATS_MAX,
} from './log-file.js'
import { type PreparedEvent, prepareEvent } from './prepared-event.js'
import { KnownUuids } from './uuid-lookup.js'
import { WriteBatch, WrittenEvent } from './write-batch.js'

const NEWLINE_BYTES = Buffer.from([NEWLINE])

interface AppenderOptions {
  readonly settings: LogSettings
  /** What to do with a prev_uuid that nothing in reach has. */
  readonly danglingPrev: 'refuse' | 'report'
  readonly report: (diagnostic: Diagnostic) => void
}

/** The events of one call, and its result. */
export interface Call {
  readonly preparedEvents: readonly PreparedEvent[]
  /** The receipts, or why it was refused; there once `append` has returned. */
  answer: Receipt[] | SessionError | undefined
}

export class Appender {
  readonly #place: AppendTarget
  readonly #file: AppendTarget['file']
  readonly #known: AppendTarget['known']
  readonly #detector: AppendTarget['detector']
  readonly #settings: LogSettings
  readonly #options: AppenderOptions
  readonly #batch = new WriteBatch()
  #tip: string | null = null
  #tipJson = 'null'
  #newlineCount: number | undefined

  constructor(place: AppendTarget, options: AppenderOptions) {
    this.#place = place
    this.#file = place.file
    this.#known = place.known
    this.#detector = place.detector
    this.#settings = options.settings
    this.#options = options
    this.#take(place.state)
  }

  get tip(): string | null {
    return this.#tip
  }

  get size(): number {
    return this.#file.size
  }

  /**
   * Writes the events of several calls in one write. Each call is accepted or refused as a whole, and its
   * answer says which. Throws when the disk refuses: then none of them is acknowledged.
   * `isWatchful`: check before and after, also where no other process should be able to write.
   */
  append(calls: readonly Call[], isWatchful: boolean): void {
    const now = this.#settings.environment.now()
    if (isWatchful || !this.#place.isAlone() || this.#detector.isDue(now)) this.checkForeignWrites()
    const batch = this.#batch
    batch.reset(this.#tip, this.#tipJson)
    const ts = toIso(now)
    for (const call of calls) call.answer = this.#encodeCall(call.preparedEvents, batch, ts)
    if (batch.lines.length === 0) return
    this.#addTrailer(batch, ts)
    this.#write(batch)
    this.#tip = batch.tip
    this.#tipJson = batch.tipJson
    if (!this.#place.isAlone() || isWatchful) this.#correct(batch, this.checkForeignWrites())
  }

  /** Looks whether the file is as this writer left it, and takes over what others added. */
  checkForeignWrites(): ReadonlyMap<string, number> {
    let offsets: ReadonlyMap<string, number> = new Map()
    for (let repeats = 0; ; repeats++) {
      const finding = this.#detector.check({ isForced: repeats > 0 })
      if (finding === undefined) break
      this.#options.report(finding.diagnostic)
      this.#settings.observer?.foreign()
      this.#take(finding.state)
      offsets = finding.offsets
      if (finding.unreadable.length === 0) break
      if (repeats === REPEATS_MAX) throw contestedError(this.#file.path)
      this.#writeAgain(finding.unreadable)
    }
    this.#detector.rebase(this.#settings.environment.now(), this.#state)
    return offsets
  }

  // Another process wrote between our check and our write, so the lines are at later offsets.
  #correct(batch: WriteBatch, offsets: ReadonlyMap<string, number>): void {
    for (const { receipt } of batch.lines) {
      const offset = offsets.get(receipt.uuid)
      if (offset === undefined) continue
      receipt.byteOffset = offset
      if (this.#settings.hasLineNumbers) {
        receipt.lineNumber = this.#place.countNewlines(offset) + 1
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

  #encodeCall(
    preparedEvents: readonly PreparedEvent[],
    batch: WriteBatch,
    now: string,
  ): Receipt[] | SessionError {
    const { byteLength, tip, tipJson } = batch
    const lineCount = batch.lines.length
    const receipts: Receipt[] = []
    try {
      for (const prepared of preparedEvents) receipts.push(this.#encodeEvent(prepared, batch, now))
      return receipts
    } catch (error) {
      if (!(error instanceof SessionError)) throw error
      batch.backTo(lineCount, byteLength, tip, tipJson)
      return error
    }
  }

  #addTrailer(batch: WriteBatch, now: string): void {
    const { lines, byteLength } = batch
    const start = this.#file.size
    const event = this.#settings.trailingEvent?.({ lines, start, end: start + byteLength })
    if (event !== undefined) this.#encodeEvent(prepareEvent(event, this.#settings), batch, now)
  }

  #encodeEvent(prepared: PreparedEvent, batch: WriteBatch, now: string): Receipt {
    const { type, ts = now } = prepared
    let { uuid } = prepared
    if (uuid === undefined) {
      uuid = this.#settings.environment.newUuid()
    } else {
      const earlier = this.#findEarlier(prepared, uuid, batch)
      if (earlier !== undefined) return earlier
      batch.hasCallerUuids = true
    }
    const prevJson = this.#linkOf(prepared, batch)
    const isolation = this.#file.isTailTorn ? 1 : 0
    const byteOffset = this.#file.size + isolation + batch.byteLength
    const payloadJson = prepared.payloadJsonAt?.(byteOffset) ?? prepared.payloadJson
    const receipt = this.#settings.hasLineNumbers
      ? { uuid, byteOffset, lineNumber: this.#nextLine() + batch.lines.length }
      : { uuid, byteOffset }
    batch.add({ type, ts, uuid, prevJson, payloadJson, receipt }, prepared.isOnChain)
    return receipt
  }

  #linkOf(prepared: PreparedEvent, batch: WriteBatch): string {
    if (prepared.isHeader) {
      if (this.#file.size === 0 && batch.lines.length === 0) return 'null'
      const what = `A "${prepared.type}" is allowed only at the start of a log`
      throw new SessionError('ERR_ARG', what, { path: this.#file.path })
    }
    if (!prepared.isOnChain) return 'null'
    const { prevUuid } = prepared
    if (prevUuid === undefined || prevUuid === batch.tip) return batch.tipJson
    if (!this.#isOnChain(prevUuid, batch)) this.#refuseOrReport(prevUuid)
    return quoteUuid(prevUuid)
  }

  /** An off-chain event can be followed as little as a missing one. */
  #isOnChain(uuid: string, batch: WriteBatch): boolean {
    const line = batch.find(uuid)
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
    if (this.#options.danglingPrev === 'refuse') {
      throw new SessionError('ERR_UNKNOWN_PREV', what, { path, prev_uuid: prevUuid })
    }
    this.#options.report(diagnostic('dangling_prev', what, { file: path, uuid: prevUuid }))
  }

  /** The receipt of an event that is in the log already; refuses another event of the same uuid. */
  #findEarlier(prepared: PreparedEvent, uuid: string, batch: WriteBatch): Receipt | undefined {
    const inBatch = batch.find(uuid)
    if (inBatch !== undefined) {
      const { type, payloadJson } = inBatch
      if (isSameEvent(prepared, type, payloadJson)) return { ...inBatch.receipt, duplicate: true }
      throw this.#conflictError(uuid)
    }
    const found = this.#known.find(uuid, this.#file.size)
    if (found === undefined) return undefined
    const { byte_offset: byteOffset, event } = found
    if (!isSameEvent(prepared, event.type, jsonOf(event.payload))) {
      throw this.#conflictError(uuid)
    }
    if (!this.#settings.hasLineNumbers) return { uuid, byteOffset, duplicate: true }
    const lineNumber = this.#place.countNewlines(byteOffset) + 1
    return { uuid, byteOffset, lineNumber, duplicate: true }
  }

  #nextLine(): number {
    const count = this.#newlineCount ?? this.#place.countNewlines(this.#file.size)
    this.#newlineCount = count
    return count + 1 + (this.#file.isTailTorn ? 1 : 0)
  }

  #write(batch: WriteBatch): void {
    const isolate = this.#file.isTailTorn
    try {
      batch.writeTo(this.#file, isolate)
    } catch (error) {
      // Some lines may be complete. The next check reads them like lines of another process.
      this.#detector.invalidate()
      throw error
    }
    if (this.#newlineCount !== undefined) {
      this.#newlineCount += batch.lines.length + (isolate ? 1 : 0)
    }
    for (const { uuid } of batch.lines) this.#detector.remember(uuid)
    this.#notifyObserver(batch)
    if (batch.hasCallerUuids) this.#known.addLines(batch.lines, this.#file.size)
  }

  #notifyObserver({ lines }: WriteBatch): void {
    const { observer } = this.#settings
    if (observer === undefined) return
    for (const line of lines) observer.wrote(new WrittenEvent(line), line.receipt.byteOffset)
  }

  #writeAgain(lines: readonly Buffer[]): void {
    const start = this.#file.isTailTorn ? [NEWLINE_BYTES] : []
    this.#file.write(Buffer.concat([...start, ...lines]))
  }

  #conflictError(uuid: string): SessionError {
    const { path } = this.#file
    const what = `${path} has another event with the uuid "${uuid}"`
    return new SessionError('ERR_UUID_CONFLICT', what, { path, uuid })
  }
}

/** One call by itself. */
export function appendOne(
  appender: Appender,
  preparedEvents: readonly PreparedEvent[],
  isWatchful: boolean,
): Receipt[] {
  const call: Call = { preparedEvents, answer: undefined }
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

function isSameEvent(
  prepared: PreparedEvent,
  type: string,
  payloadJson: string | undefined,
): boolean {
  if (prepared.type !== type || payloadJson === undefined) return false
  if (prepared.payloadJson === payloadJson) return true
  return isDeepStrictEqual(JSON.parse(prepared.payloadJson), JSON.parse(payloadJson))
}

// Where an appender puts its lines, and what it must know of those that are there already.

export interface AppendTarget {
  readonly file: Pick<LogFile, 'path' | 'size' | 'isTailTorn' | 'write'>
  readonly known: Pick<KnownUuids, 'find' | 'addLines'>
  readonly detector: Pick<
    ForeignWriteDetector,
    'isDue' | 'check' | 'invalidate' | 'remember' | 'rebase'
  >
  readonly state: LogState
  /** No process that respects the lock can write now, so a check before every write is not needed. */
  readonly isAlone: () => boolean
  readonly countNewlines: (to: number) => number
}

interface Reach {
  /** How far back from the end to look for a uuid that a caller brings. */
  readonly reachBytes: number
  /** How much of the end must hang together before its last event is taken for the tip. */
  readonly tipWindowBytes: number
}

/** A file whose lock is held. */
export function diskTarget(
  path: string,
  lock: HeldLock,
  { environment, channel }: LogSettings,
  { reachBytes, tipWindowBytes }: Reach,
): AppendTarget {
  const file = new LogFile(path, lock.fd, environment.fs)
  // The library makes the uuids of checkpoints itself, so only a retry of its own can repeat one.
  const known = new KnownUuids(file, { reachBytes, isWhole: channel !== 'checkpoint', environment })
  assertWritableFormat(file)
  // Events follow each other only on some channels; elsewhere the last one is not needed.
  const isTipNeeded = hasChain(channel) && file.size > 0
  const { tip, uuids }: FoundTip = isTipNeeded
    ? findTip(file, tipWindowBytes, environment)
    : { tip: null }
  if (uuids !== undefined) known.take(uuids, file.size)
  const state: LogState = { tip, newlineCount: file.size === 0 ? 0 : undefined }
  return {
    file,
    known,
    detector: new ForeignWriteDetector(file, known, state, environment),
    state,
    isAlone: () => lock.isKernel && !lock.isCompromised(),
    countNewlines: (to) => countNewlines(lock.fd, environment, 0, to),
  }
}

// A file of a newer format is read as far as it can be, and never written.

function assertWritableFormat(log: OpenLog): void {
  const { path } = log
  const header = readEventAt(log, 0)
  if (header === undefined || !isHeaderType(header.type)) return
  const { format } = (header.payload ?? {}) as { format?: unknown }
  if (typeof format !== 'number' || format <= FORMAT_VERSION) return
  const what = `${path} has format ${format}; this version writes format ${FORMAT_VERSION}`
  throw new SessionError('ERR_FORMAT_TOO_NEW', what, { path, format, supported: FORMAT_VERSION })
}
