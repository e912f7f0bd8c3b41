// A project that moved.

import { storeOptionsOf } from '../arguments.js'
import { type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `From now on whoever asks for the new folder also finds what was recorded under the old one: sessions
and checkpoints, and what had moved there before. Nothing that was recorded is changed.

Examples:
  $ jsonl-session relocate ~/parser ~/work/parser
  /home/ada/work/parser now answers for /home/ada/parser

  $ jsonl-session relocate ~/parser ~/work/parser --json
  {"from_normalized":"/home/ada/parser","to_normalized":"/home/ada/work/parser",…}

Exit codes:
  0 noted · 2 wrong use, or failed · 5 locked by another
`

export const relocate: Command = {
  name: 'relocate',
  summary: 'Say that a project moved to another folder',
  operand: '<old> <new>',
  operandText: ['where it was', 'where it is now'],
  options: [],
  lesson: LESSON,

  async run(call) {
    const { answer } = await import('../with-session.js')
    const { relocateProject } = await import('../../store/index.js')
    const { resolve } = await import('node:path')
    // A variable that was not set is not the folder where somebody stands.
    if (call.operands.includes('')) throw new UsageError('relocate needs two folders; one is empty')
    const [from, to] = call.operands.map((folder) => resolve(call.io.cwd(), folder))
    const moved = await relocateProject({ ...storeOptionsOf(call), from: from!, to: to! })
    const { from_normalized, to_normalized } = moved
    await answer(call, moved, `${to_normalized} now answers for ${from_normalized}`)
    return EXIT.done
  },
}
