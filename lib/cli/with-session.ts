// A session opened for one thing, by a command that adds something of its own to it.

import type { Session } from '../session/index.js'
import { storeOptionsOf } from './arguments.js'
import type { Call } from './command.js'
import { toPlainText } from './plain-text.js'

/** Fails at once where another process has the session open. Leaves it as open as it was. */
export async function withSession<Result>(
  call: Call,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const storeOptions = storeOptionsOf(call)
  const { sessionOf } = await import('./target.js')
  const id = await sessionOf(call.operands[0]!, storeOptions)
  const { resumeSession } = await import('../session/index.js')
  const { session } = await resumeSession({
    ...storeOptions,
    id,
    mode: 'append',
    isQuiet: true,
    onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
  })
  try {
    return await work(session!)
  } finally {
    await session!.release()
  }
}

/** One JSON object for programs, one sentence for people. */
export async function answer(call: Call, fields: object, sentence: string): Promise<void> {
  await call.output.write(`${call.has('json') ? JSON.stringify(fields) : toPlainText(sentence)}\n`)
}
