// The lines of one write, encoded, and the tip they will make. Nothing here has happened yet:
// a batch that is not written leaves no trace.

import { LineEncoder, type LineParts, type SessionEvent } from '../../format/index.js'
import type { BatchLine } from '../log-handle.js'
import type { LogFile } from './log-file.js'

// One buffer serves all logs of the process: it is filled and written within one synchronous step.
const encoder = new LineEncoder()

export class WriteBatch {
  readonly lines: BatchLine[] = []
  /** The newest event of the chain, with these lines. */
  tip: string | null = null
  /** The tip as JSON, for the `prev_uuid` of the next line. */
  tipJson = 'null'
  /** A caller gave a uuid, so the lines of this batch must be found by uuid after the write. */
  hasCallerUuids = false
  /** The first `#indexedCount` lines by their uuid: made on demand, since most batches never ask. */
  readonly #byUuid = new Map<string, BatchLine>()
  #indexedCount = 0

  /** Begins anew: one batch serves all writes of a log, because making one costs as much as a line. */
  reset(tip: string | null, tipJson: string): void {
    this.lines.length = 0
    this.tip = tip
    this.tipJson = tipJson
    this.hasCallerUuids = false
    if (this.#indexedCount > 0) this.#byUuid.clear()
    this.#indexedCount = 0
    encoder.reset()
  }

  get byteLength(): number {
    return encoder.byteLength
  }

  add(line: BatchLine, isOnChain: boolean): void {
    encoder.addEvent(line)
    this.lines.push(line)
    if (!isOnChain) return
    this.tip = line.uuid
    // A uuid that is written needs no escapes: it is ours, or was checked.
    this.tipJson = `"${line.uuid}"`
  }

  /** A line without an envelope; `json` is the text of a non-empty object. */
  addBare(json: string): void {
    encoder.addBare(json)
  }

  find(uuid: string): BatchLine | undefined {
    for (; this.#indexedCount < this.lines.length; this.#indexedCount++) {
      const line = this.lines[this.#indexedCount]!
      this.#byUuid.set(line.uuid, line)
    }
    return this.#byUuid.get(uuid)
  }

  /** A copy of all lines so far. */
  copy(): Buffer {
    return Buffer.from(encoder.bytes({ isolate: false }))
  }

  /** Hands over all lines so far; with `isolate`, a newline first, which ends a torn line. */
  writeTo(file: Pick<LogFile, 'write'>, isolate: boolean): void {
    file.write(encoder.buffer, encoder.start(isolate), encoder.end)
  }

  /** Drops the lines after the first `lineCount`. */
  backTo(lineCount: number, byteLength: number, tip: string | null, tipJson: string): void {
    encoder.backTo(byteLength)
    while (this.#indexedCount > lineCount) {
      this.#byUuid.delete(this.lines[--this.#indexedCount]!.uuid)
    }
    this.lines.length = lineCount
    this.tip = tip
    this.tipJson = tipJson
  }
}

// An event as it was just written: the caller may change their object afterwards, so it is made
// from the line's own text, and only for those who ask for the payload.

export class WrittenEvent implements SessionEvent {
  readonly type: string
  readonly ts: string
  readonly uuid: string
  readonly prev_uuid: string | null
  #json: string | undefined
  #payload: unknown

  constructor({ type, ts, uuid, prevJson, payloadJson }: LineParts) {
    this.type = type
    this.ts = ts
    this.uuid = uuid
    this.prev_uuid = JSON.parse(prevJson) as string | null
    this.#json = payloadJson
  }

  get payload(): unknown {
    if (this.#json !== undefined) {
      this.#payload = JSON.parse(this.#json)
      this.#json = undefined
    }
    return this.#payload
  }

  /** As in the log, including the payload, which is a getter here. */
  toJSON(): SessionEvent {
    const { type, ts, uuid, prev_uuid, payload } = this
    return { type, ts, uuid, prev_uuid, payload }
  }
}
