// Sessions with something to say, for tests that compact them.

import { createSession } from '../../lib/free-functions.js'
import type { Session } from '../../lib/session/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

export type Context = Parameters<typeof temporaryFolder>[0]

export async function newSession(t: Context, options: Parameters<typeof createSession>[0] = {}) {
  const root = options.root ?? temporaryFolder(t)
  const session = await createSession({ root, id: 's', ...options })
  t.onTestFinished(() => session.release().catch(() => {}))
  return { root, session }
}

/** Prompts and replies in turn, named by their numbers. */
export async function talk(session: Session, from: number, to: number, bytes = 40): Promise<void> {
  for (let number = from; number <= to; number++) {
    const type = number % 2 === 1 ? 'user' : 'assistant'
    const content = `${number} `.padEnd(bytes, 'x')
    await session.append({ type, uuid: `m${number}`, payload: { content } })
  }
}

export function seen(session: Session): string[] {
  return session.messages().messages.map(({ type, uuid }) => (type === 'summary' ? 'S' : uuid))
}
