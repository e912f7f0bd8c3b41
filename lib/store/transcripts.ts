// The transcripts of a store: listing them, and finding one by its id or by a prefix of it.

import { basename, join } from 'node:path'
import { SessionError } from '../errors.js'
import { encodeName, fileNameOf, normalizeSessionKey } from '../format/index.js'
import type { StoreContext } from './context.js'
import { LOG_EXTENSION, listLogNames } from './list-logs.js'

export const PREFIX_CHARS_MIN = 4
export const CANDIDATES_SHOWN = 10

/** Every transcript, sorted by file name; empty when the store does not exist yet. */
export function listTranscripts(store: StoreContext): string[] {
  const { transcripts } = store.layout
  return listLogNames(store, transcripts).map((name) => join(transcripts, name))
}

/** The transcript of a session, by its id or by a unique prefix of four or more characters. */
export function findTranscript(store: StoreContext, session: string): string {
  return findTranscriptIn(store, store.layout.transcripts, session)
}

/** For an id that looks like the path of a file: an existing file has precedence. */
export function isSessionNotFile({ env, layout }: StoreContext, name: string): boolean {
  return !env.fs.existsSync(name) && env.fs.existsSync(layout.transcriptPath(name))
}

/** As `findTranscript`, in a given folder. */
export function findTranscriptIn(
  store: StoreContext,
  transcripts: string,
  session: string,
): string {
  const wanted = fileNameOf(session)
  const named = join(transcripts, wanted + LOG_EXTENSION)
  // Most callers pass the whole id, and listing thousands of names takes longer than a resume.
  if (store.env.fs.existsSync(named)) return named
  const names = listLogNames(store, transcripts)
  // A dangling link has that name, too.
  if (names.includes(basename(named))) return named
  const id = normalizeSessionKey(session)
  // A trailing dot or a reserved name is encoded differently when more characters follow it.
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
