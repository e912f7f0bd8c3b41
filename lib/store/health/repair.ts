// Writes a damaged log into a new file: valid lines are copied byte for byte, what can be salvaged
// is salvaged, what is lost is listed. The original is only read.
//
// A gap in the chain is closed as every reader closes it: an event that follows a missing one
// follows the one before it. The copy contains that link, so it has no findings.

import { basename, dirname, resolve } from 'node:path'
import type { Diagnostic } from '../../format/index.js'
import { AtomicFile, readLog } from '../../log/index.js'
import { openForReading } from '../../log/internal.js'
import { idOfFileName } from '../catalog/header-fields.js'
import type { StoreContext } from '../context.js'
import { LineRepair } from './repair-line.js'

export interface RepairOptions {
  /** The new file. An existing one is never replaced. */
  readonly output: string
  /**
   * Keep lines that can be read but do not match their checksum, because they were edited, and
   * write a new checksum. Otherwise they count as damage and are dropped.
   *
   * @default false
   */
  readonly acceptEdits?: boolean | undefined
  /**
   * Aborts the call.
   *
   * @default none
   */
  readonly signal?: AbortSignal | undefined
}

/** What became of a record that was not simply copied. */
export interface RepairNote {
  readonly byteOffset: number
  readonly length: number
  readonly lineNumber?: number | undefined
  readonly uuid?: string | undefined
  /** The codes of the findings. */
  readonly reasons: readonly Diagnostic['code'][]
  readonly message: string
}

/** What a repair changed. */
export interface RepairReport {
  readonly path: string
  readonly output: string
  /** Records and damaged ranges that were read, without blank lines. */
  readonly read: number
  /** Copied byte for byte, or changed as `salvaged` says. */
  readonly kept: number
  /** Of those kept: separated from damage, given a new checksum, or linked to another event. */
  readonly salvaged: readonly RepairNote[]
  readonly dropped: readonly RepairNote[]
  /** The header was lost, so one was created from the name of the file. */
  readonly headerCreated: boolean
  readonly bytesRead: number
  readonly bytesWritten: number
}

const BUFFERED_BYTES_MAX = 1024 * 1024

export async function repairLog(
  store: StoreContext,
  path: string,
  { output, acceptEdits = false, signal }: RepairOptions,
): Promise<RepairReport> {
  const log = openForReading(path, store.env)
  try {
    const file = new AtomicFile(output, store.env)
    try {
      const { newUuid } = store.env
      const repair = new LineRepair(log, { acceptEdits, sessionId: findId(path), newUuid })
      const salvaged: RepairNote[] = []
      const dropped: RepairNote[] = []
      let read = 0
      let kept = 0
      let bytesWritten = 0
      let buffered: Buffer[] = []
      let bufferedBytes = 0
      for await (const entry of readLog(log, { bare: true, signal })) {
        read++
        const { lines, reasons, message, uuid } = repair.repair(entry)
        for (const line of lines) {
          buffered.push(line)
          bufferedBytes += line.length
          bytesWritten += line.length
        }
        if (bufferedBytes > BUFFERED_BYTES_MAX) {
          file.write(Buffer.concat(buffered))
          buffered = []
          bufferedBytes = 0
        }
        if (lines.length > 0) kept++
        if (reasons.length === 0) continue
        const { byte_offset: byteOffset, length, line_number: lineNumber } = entry
        const notes = lines.length > 0 ? salvaged : dropped
        notes.push({ byteOffset, length, lineNumber, uuid, reasons, message })
      }
      file.write(Buffer.concat(buffered))
      file.finish()
      const { headerCreated } = repair
      const counts = { read, kept, salvaged, dropped, headerCreated }
      return { path, output, ...counts, bytesRead: log.size, bytesWritten }
    } finally {
      file.abandon()
    }
  } finally {
    store.env.fs.closeSync(log.fd)
  }
}

/** A header of a subagent names its session, which no file name does: it cannot be created. */
function findId(path: string): string | undefined {
  const isSidechain = basename(dirname(resolve(path))) === '.sidechains'
  return isSidechain ? undefined : idOfFileName(path)
}
