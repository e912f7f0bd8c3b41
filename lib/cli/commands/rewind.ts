// Back to an older message of the same session.

import { type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `The next event will follow the message you name, as if what came after it had not been said.
Nothing is deleted: a rewind is an event, and another one undoes it. Only the conversation goes
back; files stay as they are. \`jsonl-session show\` prints the names of the messages.

Examples:
  $ jsonl-session rewind demo --to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a --reason 'wrong file'
  rewound demo to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a: 1 message is left; undo with --to 6a4f…

  $ jsonl-session rewind demo --to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a --json
  {"session_id":"demo","rewind_uuid":"c1d8…","target_uuid":"0b0e…","prev_uuid":"0b0e…","messages":1}

Exit codes:
  0 rewound · 2 wrong use, or failed · 3 no such session or message · 5 another process has it open
`

export const rewind: Command = {
  name: 'rewind',
  summary: 'Go on from an older message of a session; nothing is deleted',
  operand: '<session>',
  operandText: 'the session',
  options: [
    { name: 'to', value: 'U', text: 'the message to go on from' },
    { name: 'reason', value: 'TEXT', text: 'why, kept beside the rewind' },
  ],
  lesson: LESSON,

  async run(call) {
    const to = call.value('to')
    if (to === undefined) throw new UsageError('rewind needs --to, the uuid of a message')
    const { answer, withSession } = await import('../with-session.js')
    const done = await withSession(call, async (session) => {
      const before = session.tip
      let prevUuid: string | null | undefined
      const stop = session.onAppend(({ prev_uuid }) => {
        prevUuid = prev_uuid
      })
      const { uuid } = await session.rewind({ to, reason: call.value('reason') })
      stop()
      const messages = session.messages().messages.length
      return { session_id: session.id, rewind_uuid: uuid, prevUuid, messages, before }
    })
    const { session_id, rewind_uuid, prevUuid, messages, before } = done
    const left = messages === 1 ? '1 message is left' : `${messages} messages are left`
    await answer(
      call,
      { session_id, rewind_uuid, target_uuid: to, prev_uuid: prevUuid, messages },
      `rewound ${session_id} to ${to}: ${left}; undo with --to ${before}`,
    )
    return EXIT.done
  },
}
