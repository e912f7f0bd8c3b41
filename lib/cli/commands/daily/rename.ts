// The title a session is listed by.

import { renameSession } from '../../../session/index.js'
import { type Command, DRY_RUN, PICK, UsageError } from '../../command.js'
import { findLog, findSession, namedSession } from '../../input/target.js'
import { answer, answerDryRun } from '../../output/print.js'

const LESSON = `The title takes precedence over any that a harness gives. The id does not change. If another
process has the session open, that process writes the title a moment later. With --pick the words
are the title; without any you type it in the picker.

Examples:
  $ jsonl-session rename demo Fix the parser
  renamed demo: Fix the parser

  $ jsonl-session rename demo 'Fix the parser' --json
  {"sessionId":"demo","title":"Fix the parser","queued":false}

Exit codes:
  0 renamed, or queued · 1 none was picked · 2 wrong use, or failed · 3 not found
`

export const rename: Command = {
  name: 'rename',
  summary: 'Give a session a title',
  operand: '[session] [title...]',
  operandText: ['the session; not with --pick', 'its title, in one word or several'],
  options: [DRY_RUN, PICK],
  pickNext: 'title',
  lesson: LESSON,

  async run(call) {
    const id = findSession(call, namedSession(call, 'rename'))
    const given = call.operands.slice(1).join(' ')
    if (call.operands.length < 2) throw new UsageError('rename needs a title')
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
