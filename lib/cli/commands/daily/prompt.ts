// A prompt, for harnesses that have no hook for it, and a memory for later sessions.

import { promptOnce, rememberOnce } from '../../../session/index.js'
import { workingFolder } from '../../../store/index.js'
import { type Command, DRY_RUN } from '../../command.js'
import { findSession } from '../../input/target.js'
import { readTextOperand } from '../../input/text-input.js'
import { answer, answerDryRun } from '../../output/print.js'

const PROMPT_LESSON = `The prompt becomes a user event of the session, which is created if it is new, and a line of the
history. Every tenth one also stores a checkpoint for the next session of the project.

Examples:
  $ jsonl-session prompt demo 'rename the config key'
  recorded 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a in session demo

  $ echo 'rename the config key' | jsonl-session prompt demo - --json
  {"uuid":"0b0e…","byteOffset":377,"duplicate":false,"historyOffset":0,"checkpointId":null}

Exit codes:
  0 recorded · 2 wrong use, or failed · 5 another process has the session open
`

export const prompt: Command = {
  name: 'prompt',
  summary: 'Record a prompt in the session and in the history',
  operand: '<session> <text>',
  operandText: ['the session', 'the prompt, or - to read it from stdin'],
  options: [
    { name: 'project', value: 'P', text: 'the project (default: the current folder)' },
    { name: 'harness', value: 'NAME', text: 'the program that runs the session, for its header' },
    { name: 'uuid', value: 'U', text: 'the uuid of the event, so that a retry records it once' },
    DRY_RUN,
  ],
  lesson: PROMPT_LESSON,
  isHot: true,

  async run(call) {
    const [session_id, operand] = call.operands as [string, string]
    const content = await readTextOperand(call, operand, 'prompt')
    const project = call.value('project') ?? workingFolder(call.io)
    if (call.has('dry-run')) {
      const what = `would record a prompt of ${content.length} characters in session ${session_id}`
      const fields = { sessionId: session_id, project: project ?? null, chars: content.length }
      return answerDryRun(call, fields, what)
    }
    const receipt = await promptOnce(
      call.store,
      { session_id, content, uuid: call.value('uuid') },
      {
        facts: { project, harness: call.value('harness') },
        lineNumbers: false,
      },
    )
    const { uuid, byteOffset, duplicate = false, historyOffset, checkpointId } = receipt
    const also = checkpointId === null ? '' : `, and a checkpoint: ${checkpointId}`
    const what = duplicate ? 'already recorded:' : 'recorded'
    return answer(
      call,
      { uuid, byteOffset, duplicate, historyOffset, checkpointId },
      `${what} ${uuid} in session ${session_id}${also}`,
    )
  },
}

const REMEMBER_LESSON = `It appears in the session's next checkpoint, under "Remembered". If another process has the session
open, that process writes it a moment later.

Examples:
  $ jsonl-session remember demo 'the staging port is 8080'
  remembered in session demo

  $ jsonl-session remember demo 'the staging port is 8080' --json
  {"sessionId":"demo","uuid":"5d3c8f1f-…","byteOffset":961,"queued":false}

Exit codes:
  0 remembered, or queued · 2 wrong use, or failed · 3 not found
`

export const remember: Command = {
  name: 'remember',
  summary: 'Store something that later sessions should know',
  operand: '<session> <text>',
  operandText: ['the session', 'what to remember, or - to read it from stdin'],
  options: [DRY_RUN],
  lesson: REMEMBER_LESSON,
  isHot: true,

  async run(call) {
    const session = findSession(call, call.operands[0]!)
    const text = await readTextOperand(call, call.operands[1]!, 'text')
    if (call.has('dry-run')) {
      const what = `would remember ${text.length} characters in session ${session}`
      return answerDryRun(call, { sessionId: session, chars: text.length }, what)
    }
    const receipt = await rememberOnce(call.store, session, text, { lineNumbers: false })
    const { sessionId, uuid, byteOffset, queued = false } = receipt
    const later = queued ? ' (queued: the process that has it open will write it)' : ''
    return answer(
      call,
      { sessionId, uuid, byteOffset, queued },
      `remembered in session ${sessionId}${later}`,
    )
  },
}
