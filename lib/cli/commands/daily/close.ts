// The end of a session that its writer did not close.

import { isUnreadable, readSessionInfo, rejectUnreadable } from '../../../store/index.js'
import { type Command, DRY_RUN } from '../../command.js'
import { CONTEXT_BYTES_MAX } from '../../input/event.js'
import { findLog, findSession } from '../../input/target.js'
import { answer, answerDryRun } from '../../output/print.js'
import { resumeForAppend } from '../../with-session.js'

const LESSON = `Appends the end of the session, as a harness does when it closes one: \`list\` shows it as clean, and
\`recover\` no longer offers it as unfinished work. It can still be resumed. A session that another
process has open is closed by that process.

Examples:
  $ jsonl-session close demo
  closed demo

  $ jsonl-session close demo --json
  {"sessionId":"demo","closed":true,"alreadyClosed":false}

Exit codes:
  0 closed, or it was closed before · 2 wrong use, or failed · 3 not found
  5 another process has it open
`

export const close: Command = {
  name: 'close',
  summary: 'Record the end of a session that was not closed',
  operand: '<session>',
  operandText: 'the session',
  options: [DRY_RUN],
  lesson: LESSON,

  async run(call) {
    const id = findSession(call, call.operands[0]!)
    const info = readSessionInfo(call.store, findLog(call, id))
    if (isUnreadable(info)) rejectUnreadable(call.store, info)
    const { sessionId, status } = info
    if (status === 'clean') {
      const fields = { sessionId, closed: true, alreadyClosed: true }
      return answer(call, fields, `${sessionId} is closed already`)
    }
    if (call.has('dry-run')) return answerDryRun(call, { sessionId }, `would close ${sessionId}`)
    const session = await resumeForAppend(call, id, { bytesMax: CONTEXT_BYTES_MAX })
    await session.close('closed')
    const fields = { sessionId, closed: true, alreadyClosed: false }
    return answer(call, fields, `closed ${sessionId}`)
  },
}
