// A summary in the place of what it sums up.

import type { CompactOptions, Session } from '../../session/index.js'
import { refuseTogether } from '../arguments.js'
import { type Call, type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `The summary is yours; here it only takes its place. Without --keep-from, --up-to or --from it
stands for everything. Nothing is deleted: \`jsonl-session show --raw\` still prints it all.

Examples:
  $ jsonl-session compact demo --summary-file notes.md --up-to 6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11
  compacted demo: 42 messages are 7 now; boundary c1d80b1e-5d3c-4f7e-9a51-7d8c8f1f6f0a

  $ echo 'We fixed the parser.' | jsonl-session compact demo --summary-file - --json
  {"session_id":"demo","boundary_uuid":"…","summary_uuid":"…","strategy":"external",…}

Exit codes:
  0 compacted · 2 wrong use, nothing to compact, or failed · 3 no such session or message
  5 another process has it open
`

export const compact: Command = {
  name: 'compact',
  summary: 'Let a summary stand for older messages of a session; nothing is deleted',
  operand: '<session>',
  operandText: 'the session',
  options: [
    { name: 'summary-file', value: 'F', text: 'the text of the summary; - reads it from stdin' },
    { name: 'keep-from', value: 'U', text: 'keep this message and what follows it' },
    { name: 'up-to', value: 'U', text: 'sum up to this message, and keep what follows it' },
    { name: 'from', value: 'U', text: 'sum up from this message on, and keep what is before it' },
  ],
  lesson: LESSON,

  async run(call) {
    refuseTogether(call, 'keep-from', 'up-to')
    refuseTogether(call, 'keep-from', 'from')
    refuseTogether(call, 'from', 'up-to')
    const summary = await summaryOf(call)
    const { answer, withSession } = await import('../with-session.js')
    const done = await withSession(call, async (session) => {
      const before = countOf(session)
      const result = await session.compact({ summary, ...(await keptOf(call, session)) })
      return { ...result, session_id: session.id, before, after: countOf(session) }
    })
    const { session_id, boundary_uuid, summary_uuid, contextEpoch, before, after } = done
    await answer(
      call,
      {
        session_id,
        boundary_uuid,
        summary_uuid,
        strategy: 'external',
        tokensBefore: null,
        tokensAfter: null,
        needsRetry: false,
        contextEpoch,
      },
      `compacted ${session_id}: ${before} messages are ${after} now; boundary ${boundary_uuid}`,
    )
    return EXIT.done
  },
}

async function summaryOf(call: Call): Promise<string> {
  const file = call.value('summary-file')
  if (file === undefined) {
    throw new UsageError(
      'compact needs a summary: --summary-file notes.md, or --summary-file - to read it from stdin',
    )
  }
  const { readInput } = await import('../text-input.js')
  const text = (await readInput(call, file, 'summary')).trim()
  if (text === '') throw new UsageError('The summary is empty')
  return text
}

/** What stays, in the words of the library: it names the first or the last that is kept. */
async function keptOf(call: Call, session: Session): Promise<Partial<CompactOptions>> {
  const upTo = call.value('up-to')
  const from = call.value('from')
  if (upTo === undefined && from === undefined) return { keepFrom: call.value('keep-from') }
  const { uuids, indexOf } = await messageNames(session)
  if (upTo !== undefined) return { keepFrom: uuids[indexOf(upTo) + 1] }
  return { keepUpTo: uuids[indexOf(from!) - 1] }
}

async function messageNames(session: Session) {
  const { SessionError } = await import('../../errors.js')
  const { messages } = session.messages({ repair: false })
  const uuids = messages.map(({ uuid }) => uuid)
  const indexOf = (uuid: string): number => {
    const index = uuids.lastIndexOf(uuid)
    if (index !== -1) return index
    const what = `"${uuid}" is not among the messages the model sees`
    throw new SessionError('ERR_NOT_FOUND', what, { uuid, path: session.path })
  }
  return { uuids, indexOf }
}

function countOf(session: Session): number {
  return session.messages({ repair: false }).messages.length
}
