// Back to an older message of the same session: the conversation, its files, or both.

import type { Session } from '../../session/index.js'
import { type Call, type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `The next event will follow the message you name, as if what came after it had not been said.
Nothing is deleted: a rewind is an event, and another one undoes it. \`jsonl-session show\` prints the
names of the messages.

With --files the files that the session saved become what they were at that message, too, or alone
(--no-conversation). Then nothing at all is written without --apply: you see a plan. Files whose
content is kept nowhere are newer work and stay, unless you say --overwrite. What is replaced is
saved first; the answer names the checkpoint that brings it back. See docs/FILES.md.

Examples:
  $ jsonl-session rewind demo --to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a --reason 'wrong file'
  rewound demo to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a: 1 message is left; undo with --to 6a4f…

  $ jsonl-session rewind demo --to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a --files --no-conversation
  would change  src/config.ts

Exit codes:
  0 rewound, or would be · 1 nothing to do, or some files were left · 2 wrong use, or failed
  3 no such session, message or saved file · 5 another process has it open
`

export const rewind: Command = {
  name: 'rewind',
  summary: 'Go on from an older message of a session; nothing is deleted',
  operand: '<session>',
  operandText: 'the session',
  options: [
    { name: 'to', value: 'U', text: 'the message to go on from' },
    { name: 'reason', value: 'TEXT', text: 'why, kept beside the rewind' },
    { name: 'files', text: 'also the files it saved; a plan without --apply' },
    { name: 'no-conversation', text: 'the files alone' },
    { name: 'apply', text: 'with --files: do it' },
    { name: 'overwrite', text: 'with --files: replace newer work, too; a copy is kept' },
    { name: 'delete', text: 'with --files: remove files that were not there then' },
    { name: 'project', value: 'DIR', text: 'with --files: where the project is now' },
  ],
  lesson: LESSON,

  async run(call) {
    const to = call.value('to')
    if (to === undefined) throw new UsageError('rewind needs --to, the uuid of a message')
    if (call.has('files')) {
      const { rewindFiles } = await import('../rewind-files.js')
      return rewindFiles(call, to, (session) => rewindIn(session, to, call.value('reason')))
    }
    refuseWithoutFiles(call)
    const { answer, withSession } = await import('../with-session.js')
    const { fields, sentence, session_id } = await withSession(call, (session) =>
      rewindIn(session, to, call.value('reason')),
    )
    await answer(call, { session_id, target_uuid: to, ...fields }, sentence)
    return EXIT.done
  },
}

function refuseWithoutFiles(call: Call): void {
  const given = ['no-conversation', 'apply', 'overwrite', 'delete'].find((name) => call.has(name))
  const name = given ?? (call.value('project') === undefined ? undefined : 'project')
  if (name !== undefined) throw new UsageError(`--${name} goes with --files`)
}

async function rewindIn(session: Session, to: string, reason: string | undefined) {
  const before = session.tip
  let prev_uuid: string | null | undefined
  const stop = session.onAppend((event) => {
    prev_uuid = event.prev_uuid
  })
  const { uuid: rewind_uuid } = await session.rewind({ to, reason })
  stop()
  const messages = session.messages().messages.length
  const left = messages === 1 ? '1 message is left' : `${messages} messages are left`
  return {
    session_id: session.id,
    fields: { rewind_uuid, prev_uuid, messages },
    sentence: `rewound ${session.id} to ${to}: ${left}; undo with --to ${before}`,
  }
}
