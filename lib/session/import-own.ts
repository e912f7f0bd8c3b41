// An export of ours among the files of an import. It has an importer of its own, because nothing
// of it is translated: it becomes the session it was.

import { isSessionError, SessionError } from '../errors.js'
import type { SessionEvent } from '../format/index.js'
import { isNativeExport, NativeImporter } from '../importers/index.js'
import { readLog } from '../log/index.js'
import { type ForeignSource, layoutOf } from '../store/index.js'
import { importExported } from './import-exported.js'
import { SKIP_REASONS } from './import-ledger.js'
import type { ImportOptions } from './import-options.js'
import type { ImportReport } from './import-session.js'

export const OWN_FORMAT = 'jsonl-session'

/** Whether the first line is that of an export; asked before all others, as it cannot be theirs. */
export function isOwnExport(source: ForeignSource, { from = 'auto' }: ImportOptions): boolean {
  if (from === OWN_FORMAT) return true
  const [line] = source.head()
  if (from !== 'auto' || line === undefined) return false
  try {
    const value: unknown = JSON.parse(line.bytes.toString('utf8', line.start, line.end))
    return typeof value === 'object' && value !== null && isNativeExport(value as SessionEvent)
  } catch (error) {
    // Whatever it is, others are asked next.
    if (error instanceof SyntaxError) return false
    throw error
  }
}

export async function importOwn(path: string, options: ImportOptions): Promise<ImportReport> {
  const { lines, events, session_id } = await lookThrough(path)
  const report = {
    path,
    format: OWN_FORMAT,
    session_id,
    transcript_path: layoutOf(options).transcriptPath(session_id),
    lines,
    dropped: {},
    repaired: {},
    sidechains: [],
  }
  if (options.dryRun === true) return { ...report, events, skipped: null }
  try {
    const { isDuplicate } = await importExported(path, options)
    if (!isDuplicate) return { ...report, events, skipped: null }
    return { ...report, events: 0, skipped: skipOf('unchanged') }
  } catch (error) {
    if (!isSessionError(error, 'ERR_EXISTS')) throw error
    return { ...report, events: 0, skipped: skipOf('exists') }
  }
}

function skipOf(reason: 'unchanged' | 'exists') {
  return { reason, message: SKIP_REASONS[reason] }
}

/** Reads all of it before anything is written: half of an export is none. */
async function lookThrough(path: string) {
  const importer = new NativeImporter()
  let [lines, events, session_id] = [0, 0, '']
  for await (const entry of readLog(path)) {
    if (entry.kind !== 'event') {
      const what = `The export is damaged at byte ${entry.byte_offset}`
      throw new SessionError('ERR_DAMAGED', what, { path })
    }
    const step = importer.take(entry.event)
    if (step.kind === 'begin') session_id = step.session_id
    if (step.kind === 'event') events++
    lines++
  }
  importer.finish()
  return { lines, events, session_id }
}
