// The title a session is listed by.

import { renameSession } from '../../../session/index.js'
import { type Command, DRY_RUN } from '../../command.js'
import { findLog, findSession } from '../../input/target.js'
import { answer, answerDryRun } from '../../output/print.js'

const LESSON = `The title takes precedence over any that a harness gives. The id does not change. If another
process has the session open, that process writes the title a moment later.

Examples:
  $ jsonl-session rename demo Fix the parser
  renamed demo: Fix the parser

  $ jsonl-session rename demo 'Fix the parser' --json
  {"sessionId":"demo","title":"Fix the parser","queued":false}

Exit codes:
  0 renamed, or queued · 2 wrong use, or failed · 3 not found
`

export const rename: Command = {
  name: 'rename',
  summary: 'Give a session a title',
  operand: '<session> <title...>',
  operandText: ['the session', 'its title, in one word or several'],
  options: [DRY_RUN],
  lesson: LESSON,

  async run(call) {
    const id = findSession(call, call.operands[0]!)
    const given = call.operands.slice(1).join(' ')
    if (call.has('dry-run')) {
      findLog(call, id)
      return answerDryRun(call, { sessionId: id, title: given }, `would rename ${id}: ${given}`)
    }
    const renamed = await renameSession(call.store, id, given)
    const { sessionId, title, queued } = renamed
    const later = queued ? ' (queued: the process that has it open will write it)' : ''
    return answer(call, { sessionId, title, queued }, `renamed ${sessionId}: ${title}${later}`)
  },
}
