// The title a session is listed by.

import type { Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `The title stands above any that a harness gives by itself. The id stays as it is.

Examples:
  $ jsonl-session rename demo Fix the parser
  renamed demo: Fix the parser

  $ jsonl-session rename demo 'Fix the parser' --json
  {"session_id":"demo","title":"Fix the parser"}

Exit codes:
  0 renamed · 2 wrong use, or failed · 3 not found · 5 another process has it open
`

export const rename: Command = {
  name: 'rename',
  summary: 'Give a session a title',
  operand: '<session> <title...>',
  operandText: ['the session', 'its title, in one word or several'],
  options: [],
  lesson: LESSON,

  async run(call) {
    const title = call.operands.slice(1).join(' ').trim()
    const { answer, withSession } = await import('../with-session.js')
    const session_id = await withSession(call, async (session) => {
      await session.rename(title, 'user')
      return session.id
    })
    await answer(call, { session_id, title }, `renamed ${session_id}: ${title}`)
    return EXIT.done
  },
}
