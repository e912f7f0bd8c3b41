// Something that later sessions should know, too.

import { rememberOnce } from '../../session/index.js'
import { storeOptionsOf } from '../arguments.js'
import type { Command } from '../command.js'
import { EXIT } from '../exit-codes.js'
import { sessionOf } from '../target.js'
import { textOperand } from '../text-input.js'

const LESSON = `It stands in the session's next checkpoint, under "Remembered".

Examples:
  $ jsonl-session remember demo 'the staging port is 8080'
  remembered in session demo

  $ jsonl-session remember demo 'the staging port is 8080' --json
  {"uuid":"5d3c8f1f-…","byte_offset":961,"queued":false}

A session that another process has open gets it from there, a moment later.

Exit codes:
  0 remembered, or queued · 2 wrong use, or failed · 3 not found
`

export const remember: Command = {
  name: 'remember',
  summary: 'Note something that later sessions should know',
  operand: '<session> <text>',
  operandText: ['the session', 'what to remember, or - to read it from stdin'],
  options: [],
  lesson: LESSON,
  isHot: true,

  async run(call) {
    const options = storeOptionsOf(call)
    const session = await sessionOf(call.operands[0]!, options)
    const text = await textOperand(call, call.operands[1]!, 'text')
    const {
      session_id,
      uuid,
      byte_offset,
      queued = false,
    } = await rememberOnce(session, text, {
      ...options,
      lineNumbers: false,
      onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
    })
    const later = queued ? ' (as soon as the process that is writing it takes it over)' : ''
    await call.output.write(
      call.has('json')
        ? `${JSON.stringify({ uuid, byte_offset, queued })}\n`
        : `remembered in session ${session_id}${later}\n`,
    )
    return EXIT.done
  },
}
