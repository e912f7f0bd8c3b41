// The transcripts of a store: listing them, and finding one by its id.

import { join } from 'node:path'
import type { FileSystem } from '../environment/index.js'
import { SessionError, toReadError } from '../errors.js'
import { fileNameOf } from '../format/index.js'
import type { StoreContext } from './context.js'
import { LOG_EXTENSION, listLogNames } from './list-logs.js'

/** Every transcript, sorted by file name; empty when the store does not exist yet. */
export function listTranscripts(store: StoreContext): string[] {
  const { transcripts } = store.layout
  return listLogNames(store, transcripts).map((name) => join(transcripts, name))
}

/** The transcript of a session. Its id is exact: only the command line completes one. */
export function findTranscript(store: StoreContext, session: string): string {
  return findTranscriptIn(store, store.layout.transcripts, session)
}

/** For an id that looks like the path of a file: an existing file has precedence. */
export function isSessionNotFile({ env, layout }: StoreContext, name: string): boolean {
  return !env.fs.existsSync(name) && env.fs.existsSync(layout.transcriptPath(name))
}

/** As `findTranscript`, in a given folder. */
export function findTranscriptIn(
  { env, layout }: StoreContext,
  transcripts: string,
  session: string,
): string {
  const path = join(transcripts, fileNameOf(session) + LOG_EXTENSION)
  // Of a dangling link, too: opening it says what is wrong.
  if (isThere(env.fs, path)) return path
  const advice =
    transcripts === layout.transcripts ? '; `jsonl-session list --all` lists the sessions' : ''
  const what = `No session "${session}" in ${transcripts}${advice}`
  throw new SessionError('ERR_NOT_FOUND', what, { session, searched: transcripts })
}

function isThere(fs: FileSystem, path: string): boolean {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    throw toReadError(error, 'look at', path)
  }
}
