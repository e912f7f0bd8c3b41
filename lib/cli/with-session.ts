// A session opened by a command that appends something of its own.

import { resumeSession, type Session } from '../session/index.js'
import type { Call } from './command.js'
import { findSession } from './input/target.js'

/** Fails immediately if another process has the session open. Leaves it as open as it was. */
export async function withSession<Result>(
  call: Call,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await resumeForAppend(call, findSession(call, call.operands[0]!))
  try {
    return await work(session)
  } finally {
    await session.release()
  }
}

/** Opens a session without an event of its own. The caller closes or releases it. */
export async function resumeForAppend(
  call: Call,
  id: string,
  limits: { readonly bytesMax?: number } = {},
): Promise<Session> {
  const options = { id, mode: 'append', quiet: true } as const
  const { session } = await resumeSession(call.store, options, limits)
  return session!
}
