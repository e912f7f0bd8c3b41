// A compaction whose summary the caller provides.

import { planCompaction } from '../../compaction/index.js'
import { SessionError } from '../../errors.js'
import type { CompactOptions, Session } from '../../session/index.js'
import { type Call, UsageError } from '../command.js'
import { readInput } from '../input/text-input.js'
import { answer } from '../output/print.js'
import { withSession } from '../with-session.js'
import { readCut } from './plan.js'

export async function compactGiven(call: Call): Promise<number> {
  const summary = await summaryOf(call)
  const done = await withSession(call, async (session) => {
    const before = countOf(session)
    const result = await session.compact({ summary, ...(await keptOf(call, session)) })
    return { ...result, sessionId: session.id, before, after: countOf(session) }
  })
  const { sessionId, boundaryUuid, summaryUuid, contextEpoch, before, after } = done
  return answer(
    call,
    {
      sessionId,
      boundaryUuid,
      summaryUuid,
      strategy: 'external',
      tokensBefore: null,
      tokensAfter: null,
      needsRetry: false,
      contextEpoch,
    },
    `compacted ${sessionId}: ${before} messages are ${after} now; boundary ${boundaryUuid}`,
  )
}

async function summaryOf(call: Call): Promise<string> {
  const text = (await readInput(call, call.value('summary-file')!, 'summary')).trim()
  if (text === '') throw new UsageError('The summary is empty')
  return text
}

/** What is kept, by the first or the last message of it. */
async function keptOf(call: Call, session: Session): Promise<Partial<CompactOptions>> {
  const upTo = call.value('up-to')
  const from = call.value('from')
  if (call.value('keep') !== undefined) {
    const { kept } = planCompaction(session.projection, readCut(call))
    return { keepFrom: kept[0]?.uuid ?? null }
  }
  if (upTo === undefined && from === undefined) return { keepFrom: call.value('keep-from') }
  const { uuids, indexOf } = messageNames(session)
  if (upTo !== undefined) return { keepFrom: uuids[indexOf(upTo) + 1] }
  return { keepUpTo: uuids[indexOf(from!) - 1] }
}

function messageNames(session: Session) {
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
