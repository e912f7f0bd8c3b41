// Reading the records of a source: all of them before the import begins, one of them again, and how
// far the reading is.

import {
  type DecodedLine,
  decodeForeign,
  type ForeignRecord,
  type Importer,
  type ImportRun,
  type RecordPlace,
} from '../../interchange/index.js'
import type { ImportOptions } from './import-session.js'
import type { ImportSource } from './sources.js'

const PROGRESS_BYTES = 4 * 1024 * 1024

/** A line too long to be read holds no records. */
export const OVERSIZE: DecodedLine = {
  records: [],
  isDamaged: true,
  isRepaired: false,
  isBlank: false,
}

/** The first of two passes. */
export function surveySource(
  { file, end, source }: ImportSource,
  { run, importer, progress }: { run: ImportRun; importer: Importer; progress: Progress },
): void {
  if (file === undefined) return
  for (const line of file.lines(end)) {
    if (line.isOversize) continue
    const { records } = decodeForeign(line, importer.isRecord, { source, isHashed: false })
    for (const record of records) run.survey?.(record)
    progress.add(line.byte_offset, source)
  }
  progress.finish(end)
}

/** A record by its position. */
export function readAgain(
  sources: readonly ImportSource[],
  { source, byteOffset, length }: RecordPlace,
): ForeignRecord {
  const { file } = sources.find((one) => one.source === source)!
  const bytes = file!.read(byteOffset, length)
  const line = { bytes, start: 0, end: length, byte_offset: byteOffset }
  return decodeForeign(line, () => true, { source }).records[0]!
}

/** Reports every few megabytes, over all files and passes. */
export class Progress {
  readonly #options: ImportOptions
  readonly #sources: readonly ImportSource[]
  readonly #passes: number
  readonly #size: number
  #done = 0
  #reportedAt = 0

  constructor(
    { options, sources }: { options: ImportOptions; sources: readonly ImportSource[] },
    passes: number,
  ) {
    this.#options = options
    this.#sources = sources
    this.#passes = passes
    this.#size = sources.reduce((sum, { end }) => sum + end, 0)
  }

  /** `bytes`: how far the current file was read. */
  add(bytes: number, source: string | undefined): void {
    const done = this.#done + bytes
    if (done - this.#reportedAt < PROGRESS_BYTES) return
    this.#reportedAt = done
    const { path } = this.#sources.find((one) => one.source === source)!
    const size = this.#size
    this.#options.onProgress?.({ path, bytes: Math.floor(done / this.#passes), size })
  }

  /** A file was read to its end. */
  finish(bytes: number): void {
    this.#done += bytes
  }
}
