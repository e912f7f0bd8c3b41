// One prompt into the history, from a script or a hook.

import { appendHistory } from '../../../store/index.js'
import { type Command, DRY_RUN, UsageError } from '../../command.js'
import { readTextOperand } from '../../input/text-input.js'
import { EXIT } from '../../output/exit-codes.js'
import { answer, answerDryRun, printJson } from '../../output/print.js'

const LESSON = `A blank prompt is not recorded. With --event-uuid a retry records nothing, as long as the prompt is
in the last 64 KiB.

Examples:
  $ jsonl-session history add 'rename the config key' --session demo
  recorded at byte 1480 of /home/ada/.jsonl-session/history.jsonl

  $ echo 'rename the config key' | jsonl-session history add - --session demo --json
  {"recorded":true,"duplicate":false,"offset":1613,"file":"/home/ada/.jsonl-session/history.jsonl"}

Exit codes:
  0 recorded, or already there · 1 the prompt is blank · 2 wrong use, or failed
  5 locked by another process
`

export const historyAdd: Command = {
  name: 'history add',
  summary: 'Record a prompt in the history',
  operand: '<prompt>',
  operandText: 'the prompt, or - to read it from stdin',
  options: [
    { name: 'session', value: 'S', text: 'the id of the session it was given to' },
    { name: 'project', value: 'P', text: 'the project (default: the current folder)' },
    { name: 'event-uuid', value: 'U', text: 'the event of the transcript that holds the prompt' },
    DRY_RUN,
  ],
  lesson: LESSON,
  isHot: true,

  async run(call) {
    const sessionId = call.value('session')
    if (sessionId === undefined) throw new UsageError('history add needs --session ID')
    const prompt = await readTextOperand(call, call.operands[0]!, 'prompt')
    const project = call.value('project') ?? call.io.cwd()
    if (call.has('dry-run')) {
      const file = call.store.layout.historyPath
      const what = `would record a prompt of ${prompt.length} characters in ${file}`
      return answerDryRun(call, { sessionId, project, file, chars: prompt.length }, what)
    }
    const receipt = await appendHistory(call.store, prompt, sessionId, {
      project,
      eventUuid: call.value('event-uuid'),
      lineNumbers: false,
    })
    if (receipt === null) {
      if (call.has('json')) await printJson(call, { recorded: false })
      call.notes.say('Nothing was recorded: the prompt is blank')
      return EXIT.no
    }
    const { offset, file, duplicate = false } = receipt
    const what = duplicate ? 'nothing written, already there' : 'recorded'
    return answer(
      call,
      { recorded: true, duplicate, offset, file },
      `${what} at byte ${offset} of ${file}`,
    )
  },
}
