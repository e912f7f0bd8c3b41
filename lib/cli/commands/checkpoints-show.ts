// One checkpoint, whole.

import { storeOptionsOf } from '../arguments.js'
import type { Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Prints its digest; with --json all of it. One that retention hides is shown too.

Examples:
  $ jsonl-session checkpoints show 4be0643f-1d98-573b-97cd-ca98a65347dd
  ## Session Checkpoint
  Project: /home/ada/parser
  Prompts: 10 | Duration: 42m

  $ jsonl-session checkpoints show 4be0643f-1d98-573b-97cd-ca98a65347dd --json
  {"id":"4be0643f-…","session_key":"demo",…,"isVisible":true}

Exit codes:
  0 shown · 2 wrong use, or failed · 3 not found
`

export const checkpointsShow: Command = {
  name: 'checkpoints show',
  summary: 'Show one checkpoint',
  operand: '<id>',
  operandText: 'the id of the checkpoint',
  options: [],
  lesson: LESSON,

  async run(call) {
    const id = call.operands[0]!
    const { findCheckpoint } = await import('../../store/index.js')
    const { redactWords } = await import('../../continuity/index.js')
    const found = findCheckpoint(id, storeOptionsOf(call))
    if (found === undefined) {
      const { SessionError } = await import('../../errors.js')
      throw new SessionError('ERR_NOT_FOUND', `No checkpoint "${id}"`, { id })
    }
    const checkpoint = redactWords(found.checkpoint)
    const { isVisible } = found
    if (call.has('json')) {
      await call.output.write(`${JSON.stringify({ ...checkpoint, isVisible })}\n`)
      return EXIT.done
    }
    const { toPlainLines } = await import('../plain-text.js')
    await call.output.write(`${toPlainLines(checkpoint.digest).join('\n')}\n`)
    if (!isVisible) call.notes.say('It was deleted, or retention hides it')
    return EXIT.done
  },
}
