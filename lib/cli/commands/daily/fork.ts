// Another session that begins as this one did.

import { SessionError } from '../../../errors.js'
import { forkSession } from '../../../session/index.js'
import { findEvent } from '../../../store/index.js'
import { type Call, type Command, DRY_RUN, PICK } from '../../command.js'
import { EVENT_TEXT, readEventOption } from '../../input/event.js'
import { findLog, findSession, namedSession } from '../../input/target.js'
import { answer, answerDryRun } from '../../output/print.js'

const LESSON = `The new session has the same events up to one of them, byte for byte; after that the two are
independent. The old one is only read, so it may be in use. Permissions are not copied.

Examples:
  $ jsonl-session fork demo --id other
  forked demo at 6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11 into other:
  /home/ada/.jsonl-session/.transcripts/other.jsonl

  $ jsonl-session fork demo --at 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a --json
  {"sessionId":"9d1f…","transcriptPath":"…","forkedFrom":{"sessionId":"demo",…}}

Exit codes:
  0 forked · 1 none was picked · 2 wrong use, ambiguous, the id is taken, or failed · 3 not found
`

export const fork: Command = {
  name: 'fork',
  summary: 'Copy a session into a new one, up to an event',
  operand: '[session]',
  operandText: 'the session to start from; not with --pick',
  options: [
    { name: 'at', value: 'EVENT', text: `the last event that both share: ${EVENT_TEXT}` },
    { name: 'id', value: 'NEW', text: 'the id of the new session (default: a random one)' },
    DRY_RUN,
    PICK,
  ],
  lesson: LESSON,

  async run(call) {
    const source = findSession(call, namedSession(call, 'fork'))
    if (call.has('dry-run')) return dryRun(call, source)
    const forked = forkSession(call.store, source, {
      at: readEventOption(call, 'at', () => findLog(call, source)),
      newId: call.value('id'),
    })
    const { sessionId, transcriptPath, forkedFrom } = forked
    return answer(
      call,
      { sessionId, transcriptPath, forkedFrom },
      `forked ${forkedFrom.sessionId} at ${forkedFrom.atUuid} into ${sessionId}: ${transcriptPath}`,
    )
  },
}

function dryRun(call: Call, source: string): Promise<number> {
  const id = call.value('id')
  const path = findLog(call, source)
  const at = readEventOption(call, 'at', () => path)
  if (at !== undefined && findEvent(call.store, path, at) === undefined) {
    throw new SessionError('ERR_NOT_FOUND', `No event "${at}" in ${path}`, { at, path })
  }
  const into = id ?? 'a new session'
  const what = `would fork ${source} at ${at ?? 'its newest event'} into ${into}`
  return answerDryRun(call, { sessionId: id ?? null, forkedFrom: { sessionId: source, at } }, what)
}
