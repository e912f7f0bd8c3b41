// One checkpoint in full, from the place an index names. Here its checksum is looked at: a record
// that does not prove itself is reported and is nobody's newest.

import { createHash } from 'node:crypto'
import { isSessionError } from '../errors.js'
import { type DiagnosticCode, decodeLine, diagnostic } from '../format/index.js'
import { type OpenLog, readFullySync } from '../log/inside.js'
import type { CheckpointEntry, Report } from './checkpoint-items.js'
import type { CheckpointPayload } from './checkpoint-record.js'

export interface StoredCheckpoint {
  readonly checkpoint: CheckpointPayload
  /** The shard it lies in. */
  readonly path: string
  readonly byte_offset: number
  /** Of the bytes of its line, without the newline. */
  readonly sha256: string
}

export function loadCheckpoint(
  log: OpenLog,
  entry: CheckpointEntry,
  report: Report,
): StoredCheckpoint | undefined {
  const { path } = log
  const { byte_offset, length, id } = entry
  const found = readRecord(log, entry)
  if (typeof found === 'object') return { ...found, path, byte_offset }
  const message = `The checkpoint "${id}" cannot be read; the one before it is taken`
  report(diagnostic(found, message, { file: path, byte_offset, length, uuid: id }))
  return undefined
}

export function sha256Of(line: Uint8Array): string {
  return createHash('sha256').update(line).digest('hex')
}

/** The record of that id, or what is wrong with the line. */
function readRecord(
  log: OpenLog,
  entry: CheckpointEntry,
): Pick<StoredCheckpoint, 'checkpoint' | 'sha256'> | DiagnosticCode {
  const bytes = readBytes(log, entry)
  if (bytes === undefined) return 'file_replaced'
  const [part, ...others] = decodeLine(bytes, 0, bytes.length)
  if (part?.kind !== 'event' || others.length > 0) return 'bad_line'
  if (part.checksum === 'wrong') return 'crc_mismatch'
  const payload = part.event.payload as Partial<CheckpointPayload> | null
  if (payload?.id !== entry.id || typeof payload.digest !== 'string') return 'bad_payload'
  return { checkpoint: payload as CheckpointPayload, sha256: sha256Of(bytes) }
}

function readBytes(log: OpenLog, { byte_offset, length }: CheckpointEntry): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length)
  try {
    readFullySync(log, bytes, { at: 0, length, position: byte_offset })
    return bytes
  } catch (error) {
    // It was cut since it was looked at.
    if (isSessionError(error, 'ERR_FILE_REPLACED')) return undefined
    throw error
  }
}
