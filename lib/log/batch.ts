// The lines of one write, encoded, and the tip they will make. Nothing here has happened yet:
// a batch that is not written leaves no trace.

import { LineEncoder } from '../format/index.js'
import type { LogFile } from './log-file.js'
import type { BatchLine } from './receipt.js'

// One buffer serves all logs of the process: it is filled and written within one synchronous step.
const encoder = new LineEncoder()

export class Batch {
  readonly lines: BatchLine[] = []
  /** The newest event of the chain, with these lines. */
  tip: string | null = null
  /** The tip as it stands in the next line's `prev_uuid`. */
  tipJson = 'null'
  /** Somebody brought a uuid, so the lines of this batch must be found by it from now on. */
  hasCallerUuids = false

  /** Begins anew: one batch serves all writes of a log, because making one costs as much as a line. */
  reset(tip: string | null, tipJson: string): void {
    this.lines.length = 0
    this.tip = tip
    this.tipJson = tipJson
    this.hasCallerUuids = false
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
    return this.hasCallerUuids ? this.lines.find((line) => line.uuid === uuid) : undefined
  }

  /** A copy of all lines so far. */
  copy(): Buffer {
    return Buffer.from(encoder.bytes({ isolate: false }))
  }

  /** Hands over all lines so far; with `isolate`, a newline first, which ends a torn line. */
  writeTo(file: Pick<LogFile, 'write'>, isolate: boolean): void {
    file.write(encoder.buffer, encoder.start(isolate), encoder.end)
  }

  /** Forgets the lines added since there were so many of them. */
  backTo(lineCount: number, byteLength: number, tip: string | null, tipJson: string): void {
    encoder.backTo(byteLength)
    this.lines.length = lineCount
    this.tip = tip
    this.tipJson = tipJson
  }
}
