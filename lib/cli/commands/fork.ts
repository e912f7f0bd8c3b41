// Another session that begins as this one did.

import { storeOptionsOf } from '../arguments.js'
import type { Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `The new session holds the same events up to one of them, byte for byte; from there both go their
own way. The old one is only read, so it may be in use. Permissions are not taken along.

Examples:
  $ jsonl-session fork demo --id other
  forked demo at 6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11 into other:
  /home/ada/.jsonl-session/.transcripts/other.jsonl

  $ jsonl-session fork demo --at 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a --json
  {"session_id":"9d1f…","transcript_path":"…","forked_from":{"session_id":"demo",…}}

Exit codes:
  0 forked · 2 wrong use, ambiguous, the id is taken, or failed · 3 not found
`

export const fork: Command = {
  name: 'fork',
  summary: 'Begin another session with the events of this one',
  operand: '<session>',
  operandText: 'the session to start from',
  options: [
    { name: 'at', value: 'U', text: 'the last event that both share (default: the newest)' },
    { name: 'id', value: 'NEW', text: 'the id of the new session (default: a random one)' },
  ],
  lesson: LESSON,

  async run(call) {
    const storeOptions = storeOptionsOf(call)
    const { sessionOf } = await import('../target.js')
    const { answer } = await import('../with-session.js')
    const { forkSession } = await import('../../session/index.js')
    const source = await sessionOf(call.operands[0]!, storeOptions)
    const forked = forkSession(source, {
      ...storeOptions,
      at: call.value('at'),
      newId: call.value('id'),
    })
    const { session_id, transcript_path, forked_from } = forked
    const from = `${forked_from.session_id} at ${forked_from.at_uuid}`
    await answer(
      call,
      { session_id, transcript_path, forked_from },
      `forked ${from} into ${session_id}: ${transcript_path}`,
    )
    return EXIT.done
  },
}
