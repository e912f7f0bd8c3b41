// Hooks off for one session, and on again.

import { bypassSession } from '../../../session/index.js'
import { type Command, DRY_RUN, UsageError } from '../../command.js'
import { findClaimedSession } from '../../input/target.js'
import { answer, answerDryRun } from '../../output/print.js'

const LESSON = `While it is on, hooks record nothing of the session and print nothing; programs that use the library
are not affected. It ends with the session, or after four hours. It does not change permissions.

Examples:
  $ jsonl-session bypass demo on
  hooks are off for demo, until it ends or for four hours

  $ jsonl-session bypass demo off --json
  {"sessionId":"demo","bypassed":false,"queued":false}

Exit codes:
  0 switched · 2 wrong use, or failed · 3 no such session
`

export const bypass: Command = {
  name: 'bypass',
  summary: 'Switch the hooks of one session off or on',
  operand: '<session> <on|off>',
  operandText: ['the session', 'on: hooks record nothing; off: they do again'],
  options: [DRY_RUN],
  lesson: LESSON,

  async run(call) {
    const [target = '', state] = call.operands
    if (state !== 'on' && state !== 'off') {
      throw new UsageError(`bypass takes on or off, not "${state}"`)
    }
    const session = findClaimedSession(call, target)
    const on = state === 'on'
    if (call.has('dry-run')) {
      const what = `would switch the hooks of ${session} ${on ? 'off' : 'on'}`
      return answerDryRun(call, { sessionId: session, bypassed: on }, what)
    }
    const switched = await bypassSession(call.store, session, on)
    const hooks = switched.bypassed ? 'off' : 'on'
    const span = switched.bypassed ? ', until it ends or for four hours' : ''
    return answer(call, switched, `hooks are ${hooks} for ${switched.sessionId}${span}`)
  },
}
