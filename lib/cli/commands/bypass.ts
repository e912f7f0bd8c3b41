// Hooks off for one session, and on again.

import { storeOptionsOf } from '../arguments.js'
import { type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `While it is on, the hook command records nothing of the session and prints nothing; programs that
use the library go on as ever. It ends with the session, or after four hours. It has nothing to do
with permissions.

Examples:
  $ jsonl-session bypass demo on
  hooks are off for demo, until it ends or for four hours

  $ jsonl-session bypass demo off --json
  {"key":"demo","bypassed":false,"queued":false}

Exit codes:
  0 switched · 2 wrong use, or failed · 3 no such session
`

export const bypass: Command = {
  name: 'bypass',
  summary: 'Switch the hooks of one session off or on',
  operand: '<session> <on|off>',
  operandText: ['the session', 'on: hooks record nothing; off: they do again'],
  options: [],
  lesson: LESSON,

  async run(call) {
    const [target = '', state] = call.operands
    if (state !== 'on' && state !== 'off') {
      throw new UsageError(`bypass takes on or off, not "${state}"`)
    }
    const { answer } = await import('../with-session.js')
    const { sessionOf } = await import('../target.js')
    const { bypassSession } = await import('../../session/index.js')
    const options = storeOptionsOf(call)
    const answered = await bypassSession(await sessionOf(target, options), state === 'on', {
      ...options,
      onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
    })
    const { key, bypassed } = answered
    const hooks = bypassed ? 'off' : 'on'
    const span = bypassed ? ', until it ends or for four hours' : ''
    await answer(call, answered, `hooks are ${hooks} for ${key}${span}`)
    return EXIT.done
  },
}
