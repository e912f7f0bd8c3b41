// Which file or session an operand means: one that contains a separator or ends in .jsonl is a file
// if there is one; anything else is a session, by its id or by the beginning of it.

import { resolve } from 'node:path'
import { isSessionError, SessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import {
  findKnownSession,
  findTranscript,
  idOfFileName,
  isSessionNotFile,
  isUnreadable,
  listTranscripts,
  readSessionInfo,
  readSessionProject,
  rejectUnreadable,
} from '../../store/index.js'
import { type Call, UsageError } from '../command.js'
import { resolveFile } from './arguments.js'

// Fewer characters would mean too many sessions by chance.
const BEGINNING_CHARS_MIN = 4
const CANDIDATES_SHOWN = 10

/** The path of a log file or of the transcript of a session. */
export function findLog(call: Call, target: string): string {
  if (isFile(call, target)) return resolveFile(call, target)
  return findTranscript(call.store, completeSession(call, target))
}

/** The session that is meant. A file of the store means the session it holds. */
export function findSession(call: Call, target: string): string {
  if (!isFile(call, target)) return completeSession(call, target)
  const path = resolve(resolveFile(call, target))
  const digest = readSessionInfo(call.store, path)
  if (isUnreadable(digest)) rejectUnreadable(call.store, digest)
  const { transcriptPath, transcripts } = call.store.layout
  if (transcriptPath(digest.sessionId) === path) return digest.sessionId
  throw new UsageError(
    `${target} is not a session of ${transcripts}; log, verify and show read any file`,
    { path },
  )
}

/** The first operand of a command that also takes --pick. */
export function namedSession(call: Call, commandName: string): string {
  const [target] = call.operands
  if (target !== undefined) return target
  throw new UsageError(`${commandName} needs a session, or --pick`)
}

/** As `findSession`; one that a harness claims needs no transcript. */
export function findClaimedSession(call: Call, target: string): string {
  try {
    return findKnownSession(call.store, target)
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return findSession(call, target)
  }
}

function completeSession({ store }: Call, given: string): string {
  // Most callers pass the whole id, and listing thousands of names takes longer than a resume.
  if (store.env.fs.existsSync(store.layout.transcriptPath(given))) return given
  const paths = new Map(listTranscripts(store).map((path) => [idOfFileName(path), path]))
  const id = completeId(given, [...paths.keys()])
  const path = paths.get(id)
  if (path === undefined || store.layout.transcriptPath(id) === path) return id
  // The name of a very long id ends in a hash; the header has all of it.
  const info = readSessionInfo(store, path)
  return isUnreadable(info) ? id : info.sessionId
}

/**
 * The only id that begins like this. What is an id already, or begins none, is returned as it is:
 * the library says what is missing.
 */
export function completeId(given: string, ids: readonly string[]): string {
  if (ids.includes(normalizeSessionKey(given))) return given
  const found = ids.filter((id) => isBeginning(given, id))
  if (found.length < 2) return found[0] ?? given
  const shown = found.slice(0, CANDIDATES_SHOWN).join(', ')
  const what = `"${given}" matches ${found.length} sessions: ${shown}`
  throw new SessionError('ERR_AMBIGUOUS', what, { session: given, count: found.length })
}

export function isBeginning(given: string, id: string): boolean {
  const beginning = normalizeSessionKey(given)
  return beginning.length >= BEGINNING_CHARS_MIN && id.startsWith(beginning)
}

/** Judged by its form, unless a session of exactly that id exists. */
export function isFile(call: Call, target: string): boolean {
  if (!/[/\\]/.test(target) && !target.endsWith('.jsonl')) return false
  if (call.env.fs.existsSync(resolveFile(call, target))) return true
  return !isSessionNotFile(call.store, target)
}

export interface NamedSession {
  readonly key: string
  readonly hasTranscript: boolean
}

/** A session that may have no transcript: one that is about to start, or outlived by checkpoints. */
export function findSessionKey(call: Call, target: string): NamedSession {
  const session = findSession(call, target)
  try {
    const digest = readSessionInfo(call.store, findTranscript(call.store, session))
    return { key: isUnreadable(digest) ? session : digest.sessionId, hasTranscript: true }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return { key: session, hasTranscript: false }
  }
}

/** The session that an option names. */
export function readSessionOption(call: Call, option: string): string | undefined {
  const target = call.value(option)
  return target === undefined ? undefined : findSessionKey(call, target).key
}

/** The project that is asked for; that of the session where one is named. */
export function findProject(call: Call, sessionKey: string | undefined): string | undefined {
  const given = call.value('project')
  if (given !== undefined || call.has('all')) return given
  const own = sessionKey === undefined ? undefined : readSessionProject(call.store, sessionKey)
  return own ?? call.io.cwd()
}
