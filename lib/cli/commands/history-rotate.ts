// A new file for the history, now.

import { storeOptionsOf } from '../arguments.js'
import type { Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `The history rotates by itself at 10 MiB or 10,000 prompts; this does it now. Files are renamed,
never changed, and all of them are still read.

Examples:
  $ jsonl-session history rotate
  rotated: the prompts so far are in /home/ada/.jsonl-session/history.jsonl.1

  $ jsonl-session history rotate --json
  {"rotated":true,"file":"/home/ada/.jsonl-session/history.jsonl.1"}

Exit codes:
  0 rotated · 1 there is nothing to rotate · 2 wrong use, or failed · 5 locked by another
`

export const historyRotate: Command = {
  name: 'history rotate',
  summary: 'Begin a new file for the history',
  operand: '',
  operandText: '',
  options: [],
  lesson: LESSON,

  async run(call) {
    const { layoutOf, rotateHistory } = await import('../../store/index.js')
    const options = storeOptionsOf(call)
    const rotation = await rotateHistory({
      ...options,
      onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
    })
    const { rotated, file } = rotation
    if (call.has('json')) await call.output.write(`${JSON.stringify(rotation)}\n`)
    else if (rotated) await call.output.write(`rotated: the prompts so far are in ${file}\n`)
    if (rotated) return EXIT.done
    call.notes.say(`Nothing to rotate in ${layoutOf(options).historyPath}`)
    return EXIT.no
  },
}
