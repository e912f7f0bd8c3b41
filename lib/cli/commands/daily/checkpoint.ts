// A checkpoint in the words of a person or an agent.

import { checkpointSession } from '../../../continuity/index.js'
import { SessionError } from '../../../errors.js'
import { type Call, type Command, DRY_RUN, UsageError } from '../../command.js'
import { findSessionKey } from '../../input/target.js'
import { readStdin } from '../../input/text-input.js'
import { answer, answerDryRun } from '../../output/print.js'

const LESSON = `Stores what the next session in this project should know, in your words; recover prints it. With
--run-id a repeated call stores nothing. A session without a transcript needs --project.

Examples:
  $ jsonl-session checkpoint add demo --digest 'The parser is done; the tests are not.'
  stored checkpoint 4be0643f-1d98-573b-97cd-ca98a65347dd of demo

  $ git log -5 --oneline | jsonl-session checkpoint add demo --digest - --run-id run-17 --json
  {"id":"4be0643f-1d98-573b-97cd-ca98a65347dd","sessionId":"demo","duplicate":false}

Exit codes:
  0 stored, or already stored · 2 wrong use, or failed · 3 not found · 5 locked by another process
`

export const checkpointAdd: Command = {
  name: 'checkpoint add',
  summary: 'Store a checkpoint for the next session',
  operand: '<session>',
  operandText: 'the session it is about',
  options: [
    {
      name: 'digest',
      value: 'TEXT',
      text: 'what the next session should know; - reads it from stdin',
    },
    { name: 'project', value: 'P', text: 'the project (default: the one of the session)' },
    { name: 'summary', value: 'TEXT', text: 'a summary of the session, for start' },
    {
      name: 'run-id',
      value: 'ID',
      text: 'the id of the agent run: a repeated call stores nothing',
    },
    { name: 'agent-digest', text: 'an agent wrote the digest, not a person' },
    DRY_RUN,
  ],
  lesson: LESSON,

  async run(call) {
    const digest = await readDigest(call)
    const sessionKey = requireKnownSession(call)
    if (call.has('dry-run')) {
      const { length } = digest
      const what = `would store a checkpoint of ${sessionKey}: ${length} characters`
      return answerDryRun(call, { sessionId: sessionKey, chars: length }, what)
    }
    const { id, duplicate = false } = await checkpointSession(call.store, {
      sessionKey,
      digest,
      project: call.value('project'),
      summary: call.value('summary'),
      runId: call.value('run-id'),
      trigger: call.has('agent-digest') ? 'agent' : undefined,
    })
    const what = duplicate ? 'nothing stored, already there: checkpoint' : 'stored checkpoint'
    const fields = { id, sessionId: sessionKey, duplicate }
    return answer(call, fields, `${what} ${id} of ${sessionKey}`)
  },
}

async function readDigest(call: Call): Promise<string> {
  const digest = call.value('digest')
  if (digest === undefined) {
    throw new UsageError('checkpoint add needs --digest, or --digest - for stdin')
  }
  return digest === '-' ? readStdin(call, 'digest') : digest
}

/** No recovery would find the checkpoint of a mistyped id. */
function requireKnownSession(call: Call): string {
  const target = call.operands[0]!
  const { key, hasTranscript } = findSessionKey(call, target)
  if (hasTranscript || call.value('project') !== undefined) return key
  const what = `No session "${target}"; with --project one without a transcript is accepted`
  throw new SessionError('ERR_NOT_FOUND', what, { session: target })
}
