// One prompt into the history, from a script or a hook.

import { append_history } from '../../store/index.js'
import { storeOptionsOf } from '../arguments.js'
import { type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'
import { textOperand } from '../text-input.js'

const LESSON = `A blank prompt is not recorded. With --event-uuid the prompt is recorded once, however often that
is tried: it is looked for in the last 64 KiB.

Examples:
  $ jsonl-session history add 'rename the config key' --session demo
  recorded at byte 1480 of /home/ada/.jsonl-session/history.jsonl

  $ echo 'rename the config key' | jsonl-session history add - --session demo --json
  {"recorded":true,"duplicate":false,"offset":1613,"file":"/home/ada/.jsonl-session/history.jsonl"}

Exit codes:
  0 recorded, or there already · 1 nothing to record · 2 wrong use, or failed · 5 locked by another
`

export const historyAdd: Command = {
  name: 'history add',
  summary: 'Record a prompt in the history',
  operand: '<prompt>',
  operandText: 'the prompt, or - to read it from stdin',
  options: [
    { name: 'session', value: 'S', text: 'the id of the session it was given to' },
    { name: 'project', value: 'P', text: 'the project (default: where you are)' },
    { name: 'event-uuid', value: 'U', text: 'the event of the transcript that says the same' },
  ],
  lesson: LESSON,
  isHot: true,

  async run(call) {
    const sessionId = call.value('session')
    if (sessionId === undefined) throw new UsageError('history add needs --session, the id of one')
    const prompt = await textOperand(call, call.operands[0]!, 'prompt')
    const receipt = await append_history(prompt, sessionId, {
      ...storeOptionsOf(call),
      project: call.value('project') ?? call.io.cwd(),
      event_uuid: call.value('event-uuid'),
      lineNumbers: false,
      onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
    })
    if (receipt === null) {
      if (call.has('json')) await call.output.write('{"recorded":false}\n')
      call.notes.say('Nothing was recorded: the prompt is blank')
      return EXIT.no
    }
    const { offset, file, duplicate = false } = receipt
    const what = duplicate ? 'nothing written, already there' : 'recorded'
    await call.output.write(
      call.has('json')
        ? `${JSON.stringify({ recorded: true, duplicate, offset, file })}\n`
        : `${what} at byte ${offset} of ${file}\n`,
    )
    return EXIT.done
  },
}
