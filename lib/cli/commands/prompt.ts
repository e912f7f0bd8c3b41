// What a person said, for harnesses that have no hook for it: event, history and continuity in one.

import { promptOnce } from '../../session/index.js'
import { workingFolder } from '../../store/index.js'
import { storeOptionsOf } from '../arguments.js'
import type { Command } from '../command.js'
import { EXIT } from '../exit-codes.js'
import { textOperand } from '../text-input.js'

const LESSON = `The prompt becomes a user event of the session, which is created if it is new, and a line of the
history. Every tenth one also leaves a checkpoint for the next session of the project.

Examples:
  $ jsonl-session prompt demo 'rename the config key'
  recorded 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a in session demo

  $ echo 'rename the config key' | jsonl-session prompt demo - --json
  {"uuid":"0b0e…","byte_offset":377,"duplicate":false,"history_offset":0,"checkpoint_id":null}

Exit codes:
  0 recorded · 2 wrong use, or failed · 5 another process has the session open
`

export const prompt: Command = {
  name: 'prompt',
  summary: 'Record a prompt: event, history and continuity in one',
  operand: '<session> <text>',
  operandText: ['the session', 'what was said, or - to read it from stdin'],
  options: [
    { name: 'project', value: 'P', text: 'the project (default: where you are)' },
    { name: 'harness', value: 'NAME', text: 'who runs the session, for its header' },
    { name: 'uuid', value: 'U', text: 'the uuid of the event: tried again, it is recorded once' },
  ],
  lesson: LESSON,
  isHot: true,

  async run(call) {
    const [session_id, operand] = call.operands as [string, string]
    const content = await textOperand(call, operand, 'prompt')
    const receipt = await promptOnce(
      { session_id, content, uuid: call.value('uuid') },
      {
        ...storeOptionsOf(call),
        facts: {
          project: call.value('project') ?? workingFolder(call.io),
          harness: call.value('harness'),
        },
        lineNumbers: false,
        onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
      },
    )
    const { uuid, byte_offset, duplicate = false, history_offset, checkpoint_id } = receipt
    const answer = { uuid, byte_offset, duplicate, history_offset, checkpoint_id }
    const left = checkpoint_id === null ? '' : `, and a checkpoint: ${checkpoint_id}`
    const what = duplicate ? 'there already:' : 'recorded'
    await call.output.write(
      call.has('json')
        ? `${JSON.stringify(answer)}\n`
        : `${what} ${uuid} in session ${session_id}${left}\n`,
    )
    return EXIT.done
  },
}
