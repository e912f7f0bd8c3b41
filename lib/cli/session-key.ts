// The key of a session that may have no transcript: checkpoints outlive it, and a session that is
// about to start has none yet.

import { isSessionError } from '../errors.js'
import type { StoreOptions } from '../store/index.js'
import { storeOptionsOf } from './arguments.js'
import type { Call } from './command.js'

export interface NamedSession {
  readonly key: string
  readonly hasTranscript: boolean
}

/** By its id, the beginning of it, or its file. */
export async function sessionKeyOf(target: string, options: StoreOptions): Promise<NamedSession> {
  const { sessionOf } = await import('./target.js')
  const { digestTranscript, findTranscript, isSkipped } = await import('../store/index.js')
  const session = await sessionOf(target, options)
  try {
    const digest = digestTranscript(findTranscript(session, options))
    return { key: isSkipped(digest) ? session : digest.session_id, hasTranscript: true }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return { key: session, hasTranscript: false }
  }
}

/** The session that an option names. */
export async function keyIn(call: Call, option: string): Promise<string | undefined> {
  const target = call.value(option)
  return target === undefined ? undefined : (await sessionKeyOf(target, storeOptionsOf(call))).key
}

/** The project that is asked for; a session has its own, wherever one asks from. */
export async function projectFor(
  call: Call,
  sessionKey: string | undefined,
): Promise<string | undefined> {
  const given = call.value('project')
  if (given !== undefined || call.has('all')) return given
  const { projectOfSession } = await import('../store/index.js')
  const own =
    sessionKey === undefined ? undefined : projectOfSession(sessionKey, storeOptionsOf(call))
  return own ?? call.io.cwd()
}
