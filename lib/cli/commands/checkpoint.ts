// A checkpoint in the words of a person or an agent.

import { storeOptionsOf } from '../arguments.js'
import { type Call, type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `What the next session in this project should know, in your words; recover shows it. With --run-id
the same words are stored once, however often they are sent. A session without a transcript needs
--project.

Examples:
  $ jsonl-session checkpoint demo --digest 'The parser is done; the tests are not.'
  stored checkpoint 4be0643f-1d98-573b-97cd-ca98a65347dd of demo

  $ git log -5 --oneline | jsonl-session checkpoint demo --digest - --run-id nightly-17 --json
  {"id":"4be0643f-1d98-573b-97cd-ca98a65347dd","duplicate":false}

Exit codes:
  0 stored, or there already · 2 wrong use, or failed · 3 not found · 5 locked by another
`

export const checkpoint: Command = {
  name: 'checkpoint',
  summary: 'Leave a checkpoint for the next session',
  operand: '<session>',
  operandText: 'the session it speaks of',
  options: [
    { name: 'digest', value: 'TEXT', text: 'what to know, or - to read it from stdin' },
    { name: 'project', value: 'P', text: 'where the work is (default: that of the session)' },
    { name: 'summary', value: 'TEXT', text: 'a summary of the session, for start' },
    {
      name: 'run-id',
      value: 'ID',
      text: 'of the run of an agent; makes sending it again harmless',
    },
    { name: 'agent-digest', text: 'an agent says so, not a person' },
  ],
  lesson: LESSON,

  async run(call) {
    const { answer } = await import('../with-session.js')
    const { checkpointSession } = await import('../../continuity/index.js')
    const storeOptions = storeOptionsOf(call)
    const digest = await digestOf(call)
    const sessionKey = await knownSession(call)
    const { id, duplicate = false } = await checkpointSession({
      ...storeOptions,
      sessionKey,
      digest,
      project: call.value('project'),
      summary: call.value('summary'),
      runId: call.value('run-id'),
      trigger: call.has('agent-digest') ? 'agent' : undefined,
      onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
    })
    const what = duplicate ? 'nothing stored, already there: checkpoint' : 'stored checkpoint'
    await answer(call, { id, duplicate }, `${what} ${id} of ${sessionKey}`)
    return EXIT.done
  },
}

async function digestOf(call: Call): Promise<string> {
  const digest = call.value('digest')
  if (digest === undefined)
    throw new UsageError('checkpoint needs --digest, or --digest - for stdin')
  if (digest !== '-') return digest
  const { readStdin } = await import('../text-input.js')
  return readStdin(call, 'digest')
}

/** A mistyped id would leave its checkpoint where nobody looks. */
async function knownSession(call: Call): Promise<string> {
  const { sessionKeyOf } = await import('../session-key.js')
  const target = call.operands[0]!
  const { key, hasTranscript } = await sessionKeyOf(target, storeOptionsOf(call))
  if (hasTranscript || call.value('project') !== undefined) return key
  const { SessionError } = await import('../../errors.js')
  const what = `No session "${target}"; with --project one without a transcript is accepted`
  throw new SessionError('ERR_NOT_FOUND', what, { session: target })
}
