// A compaction whose summary the caller brings along.

import type { CompactOptions, Session } from '../session/index.js'
import { type Call, UsageError } from './command.js'
import { cutOf } from './compact-cut.js'
import { readInput } from './text-input.js'
import { answer, withSession } from './with-session.js'

export async function compactGiven(call: Call): Promise<void> {
  const summary = await summaryOf(call)
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
}

async function summaryOf(call: Call): Promise<string> {
  const text = (await readInput(call, call.value('summary-file')!, 'summary')).trim()
  if (text === '') throw new UsageError('The summary is empty')
  return text
}

/** What stays, in the words of the library: it names the first or the last that is kept. */
async function keptOf(call: Call, session: Session): Promise<Partial<CompactOptions>> {
  const upTo = call.value('up-to')
  const from = call.value('from')
  if (call.value('keep') !== undefined) {
    const { planCompaction } = await import('../compaction/index.js')
    const { kept } = planCompaction(session.projection, cutOf(call))
    return { keepFrom: kept[0]?.uuid ?? null }
  }
  if (upTo === undefined && from === undefined) return { keepFrom: call.value('keep-from') }
  const { uuids, indexOf } = await messageNames(session)
  if (upTo !== undefined) return { keepFrom: uuids[indexOf(upTo) + 1] }
  return { keepUpTo: uuids[indexOf(from!) - 1] }
}

async function messageNames(session: Session) {
  const { SessionError } = await import('../errors.js')
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
