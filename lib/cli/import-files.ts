// Many files one after the other: one that fails does not keep the others from being imported.

import { basename } from 'node:path'
import { isSessionError } from '../errors.js'
import { type ImportOptions, type ImportReport, importSession } from '../session/index.js'
import type { Call } from './command.js'
import { EXIT } from './exit-codes.js'
import { toPlainText } from './plain-text.js'

/** A report whose file could not be read, or whose session could not be written. */
export type FileReport = Omit<ImportReport, 'skipped'> & {
  readonly skipped: { readonly reason: string; readonly message: string } | null
}

export async function importFiles(
  call: Call,
  files: readonly string[],
  options: ImportOptions,
): Promise<FileReport[]> {
  const reports: FileReport[] = []
  for (const [index, file] of files.entries()) {
    const which = files.length === 1 ? '' : `${index + 1}/${files.length} `
    const say = (percent: number) =>
      call.notes.sayInPlace(`importing ${which}${toPlainText(basename(file))} … ${percent} %`)
    const onProgress: ImportOptions['onProgress'] = ({ bytes, size }) =>
      say(Math.floor((bytes / size) * 100))
    if (files.length > 1) say(0)
    try {
      reports.push(await importSession(file, { ...options, onProgress }))
    } catch (error) {
      // The only file there is fails the command.
      if (files.length === 1 || !isSessionError(error)) throw error
      reports.push(failed(file, error.code, error.message))
    } finally {
      call.notes.sayInPlace('')
    }
  }
  return reports
}

function failed(path: string, reason: string, message: string): FileReport {
  return {
    path,
    format: null,
    session_id: null,
    transcript_path: null,
    lines: 0,
    events: 0,
    dropped: {},
    repaired: {},
    skipped: { reason, message },
    sidechains: [],
  }
}

/** Refused or failed counts more than done, and done more than nothing to do. */
export function exitCodeOfReports(reports: readonly FileReport[]): number {
  const all = reports.flatMap((report) => [report, ...report.sidechains])
  const isFailed = ({ skipped }: FileReport) => skipped !== null && skipped.reason !== 'unchanged'
  if (all.some(isFailed)) return EXIT.failed
  return all.some(({ skipped }) => skipped === null) ? EXIT.done : EXIT.no
}
