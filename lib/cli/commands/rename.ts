// The title a session is listed by.

import { storeOptionsOf } from '../arguments.js'
import type { Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `The title stands above any that a harness gives by itself. The id stays as it is.

Examples:
  $ jsonl-session rename demo Fix the parser
  renamed demo: Fix the parser

  $ jsonl-session rename demo 'Fix the parser' --json
  {"session_id":"demo","title":"Fix the parser","queued":false}

A session that another process has open gets its title from there, a moment later.

Exit codes:
  0 renamed, or queued · 2 wrong use, or failed · 3 not found
`

export const rename: Command = {
  name: 'rename',
  summary: 'Give a session a title',
  operand: '<session> <title...>',
  operandText: ['the session', 'its title, in one word or several'],
  options: [],
  lesson: LESSON,

  async run(call) {
    const { answer } = await import('../with-session.js')
    const { sessionOf } = await import('../target.js')
    const { renameSession } = await import('../../session/index.js')
    const options = storeOptionsOf(call)
    const id = await sessionOf(call.operands[0]!, options)
    const renamed = await renameSession(id, call.operands.slice(1).join(' '), {
      ...options,
      onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
    })
    const { session_id, title, queued } = renamed
    const later = queued ? ' (as soon as the process that is writing it takes it over)' : ''
    await answer(call, renamed, `renamed ${session_id}: ${title}${later}`)
    return EXIT.done
  },
}
