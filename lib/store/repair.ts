// A damaged log written anew into another file: what is whole is copied byte for byte, what can be
// saved is saved, what is lost is named. The original is only read.
//
// A gap in the chain is closed as every reader closes it: an event that follows a missing one
// follows the one before it. The copy says so itself, so that it has nothing left to report.

import { closeSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Diagnostic } from '../format/index.js'
import { type LogEntry, readLog, WholeFile } from '../log/index.js'
import { openForReading } from '../log/inside.js'
import { LineMender, type MendedLine } from './repair-line.js'
import { idOfFileName } from './session-digest-header.js'

export interface RepairOptions {
  /** The new file. One that is there already is never replaced. */
  readonly output: string
  /**
   * Keep lines that can be read but whose checksum is of other bytes, and seal them again: they
   * were edited. Else they count as damage and are left out.
   *
   * @default false
   */
  readonly acceptEdits?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** What became of a record that was not simply copied. */
export interface RepairNote {
  readonly byte_offset: number
  readonly length: number
  readonly line_number?: number | undefined
  readonly uuid?: string | undefined
  /** The codes of what was found there. */
  readonly reasons: readonly Diagnostic['code'][]
  readonly message: string
}

export interface RepairReport {
  readonly path: string
  readonly output: string
  /** Records and damaged ranges that were read; blank lines are none. */
  readonly read: number
  /** Copied byte for byte, or changed only as `salvaged` says. */
  readonly kept: number
  /** Of those kept: freed from what stood around them, sealed again, or linked to another event. */
  readonly salvaged: readonly RepairNote[]
  readonly dropped: readonly RepairNote[]
  /** The header was lost, so a new one tells what the name of the file does. */
  readonly isHeaderMade: boolean
  readonly bytesRead: number
  readonly bytesWritten: number
}

export async function repairLog(path: string, options: RepairOptions): Promise<RepairReport> {
  const { output, acceptEdits = false, signal } = options
  const log = openForReading(path)
  try {
    const file = new WholeFile(output)
    try {
      const repair = new Repair(file, new LineMender(log, { acceptEdits, sessionId: idIn(path) }))
      for await (const entry of readLog(log, { isBare: true, signal })) repair.take(entry)
      repair.flush()
      file.finish()
      return { path, output, ...repair.counts, bytesRead: log.size }
    } finally {
      file.abandon()
    }
  } finally {
    closeSync(log.fd)
  }
}

/** A subagent's header tells whose it is, which no name of a file does: it cannot be made. */
function idIn(path: string): string | undefined {
  const isSidechain = basename(dirname(resolve(path))) === '.sidechains'
  return isSidechain ? undefined : idOfFileName(path)
}

const HELD_BYTES_MAX = 1024 * 1024

/** Puts the lines that stay into the file, and keeps the account. */
class Repair {
  readonly #file: WholeFile
  readonly #mender: LineMender
  readonly #salvaged: RepairNote[] = []
  readonly #dropped: RepairNote[] = []
  #held: Buffer[] = []
  #heldBytes = 0
  #read = 0
  #kept = 0
  #bytesWritten = 0

  constructor(file: WholeFile, mender: LineMender) {
    this.#file = file
    this.#mender = mender
  }

  get counts() {
    return {
      read: this.#read,
      kept: this.#kept,
      salvaged: this.#salvaged,
      dropped: this.#dropped,
      isHeaderMade: this.#mender.isHeaderMade,
      bytesWritten: this.#bytesWritten,
    }
  }

  take(entry: LogEntry): void {
    this.#read++
    const { lines, reasons, message, uuid } = this.#mender.mend(entry)
    if (lines.length > 0) this.#kept++
    for (const line of lines) this.#hold(line)
    if (reasons.length === 0) return
    const { byte_offset, length, line_number } = entry
    const note = { byte_offset, length, line_number, uuid, reasons, message }
    if (lines.length > 0) this.#salvaged.push(note)
    else this.#dropped.push(note)
  }

  flush(): void {
    this.#file.write(Buffer.concat(this.#held))
    this.#held = []
    this.#heldBytes = 0
  }

  #hold(line: MendedLine): void {
    this.#held.push(line)
    this.#heldBytes += line.length
    this.#bytesWritten += line.length
    if (this.#heldBytes > HELD_BYTES_MAX) this.flush()
  }
}
