// The transcripts of a store: which there are, and which one somebody means.

import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { SessionError } from '../errors.js'
import { encodeName, fileNameOf, normalizeSessionKey } from '../format/index.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { LOG_EXTENSION, logNamesIn } from './log-names.js'

export const PREFIX_CHARS_MIN = 4
export const CANDIDATES_SHOWN = 10

/** Every transcript, in the order of their names; none when the store does not exist yet. */
export function listTranscripts(options: StoreOptions = {}): string[] {
  const { transcripts } = layoutOf(options)
  return logNamesIn(transcripts).map((name) => join(transcripts, name))
}

/** The transcript of a session, by its id or by four or more letters that only it begins with. */
export function findTranscript(session: string, options: StoreOptions = {}): string {
  return findTranscriptIn(layoutOf(options).transcripts, session)
}

/** For an id that looks like the path of a file: a file that is there comes first. */
export function isSessionAndNoFile(name: string, options: StoreOptions): boolean {
  return !existsSync(name) && existsSync(layoutOf(options).transcriptPath(name))
}

/** The same among those that lie in a folder. */
export function findTranscriptIn(transcripts: string, session: string): string {
  const wanted = fileNameOf(session)
  const named = join(transcripts, wanted + LOG_EXTENSION)
  // Most ids are whole, and listing thousands of names takes longer than resuming.
  if (existsSync(named)) return named
  const names = logNamesIn(transcripts)
  // A link to nothing has that name, too.
  if (names.includes(basename(named))) return named
  const id = normalizeSessionKey(session)
  // A dot at the end, or a reserved name, is spelled otherwise where something follows it.
  const begun = encodeName(`${id}-`).slice(0, -1)
  const isMeant = (name: string) => name.startsWith(wanted) || name.startsWith(begun)
  const found = id.length >= PREFIX_CHARS_MIN ? names.filter(isMeant) : []
  if (found.length === 0) {
    const what = `No session "${session}" in ${transcripts}`
    throw new SessionError('ERR_NOT_FOUND', what, { session, searched: transcripts })
  }
  if (found.length > 1) {
    const shown = found
      .slice(0, CANDIDATES_SHOWN)
      .map((name) => name.slice(0, -LOG_EXTENSION.length))
    const what = `"${session}" begins ${found.length} sessions: ${shown.join(', ')}`
    throw new SessionError('ERR_AMBIGUOUS', what, { session, count: found.length })
  }
  return join(transcripts, found[0]!)
}
