// A summary that was made while the session went on becomes a compaction, if what it was made for
// is still what the model sees. No lock was held meanwhile, so this is where rivals are noticed.

import { isDeepStrictEqual } from 'node:util'
import { isGap } from '../chain/index.js'
import {
  type ChosenSummary,
  type CompactionPlan,
  isSame,
  readStructured,
} from '../compaction/index.js'
import { SessionError } from '../errors.js'
import type { CompactOptions } from './compact.js'
import type { Session } from './session.js'
import type { CompactResult } from './session-parts.js'

export type CommitOptions = Pick<
  CompactOptions,
  'trigger' | 'tokensAfter' | 'summaryTokens' | 'customInstructions'
>

/** Throws `ERR_COMPACTION_RACE` where the conversation was compacted or rewound since the plan. */
export async function commitCompaction(
  session: Session,
  chosen: ChosenSummary,
  options: CommitOptions,
): Promise<CompactResult> {
  const { plan, text, model, strategy, needsRetry, checkpointId } = chosen
  refuseRivals(session, plan)
  // No `await` before this: it writes in the same step in which the rivals were looked for.
  const committed = session.compact({
    ...options,
    ...keptOf(plan),
    isCheckpointed: true,
    summary: text,
    strategy,
    tokensBefore: plan.tokensBefore,
    model: typeof model === 'string' ? model : undefined,
    structured: structuredOf(chosen),
    needsSummaryRetry: needsRetry,
    keepPercent: plan.keepPercent,
    checkpointId,
  })
  const result = await committed
  // Without the kernel lock another process may have written just before us.
  if (session.projection.lastBoundary?.uuid === result.boundary_uuid) return result
  throw raceError(session, 'by another process')
}

/** Messages that were added since stand behind those of the plan; anything else is a rival. */
function refuseRivals(session: Session, { context }: CompactionPlan): void {
  const { entries, lastBoundary } = session.projection
  if ((lastBoundary?.uuid ?? null) !== context.boundaryUuid) {
    throw raceError(session, 'compacted, or taken back to before its last compaction,')
  }
  const present = entries.filter((entry) => !isGap(entry))
  const isThere = context.entries.every((planned, index) => {
    const entry = present[index]
    return entry !== undefined && isSame(entry, planned)
  })
  if (!isThere) throw raceError(session, 'rewound')
}

function raceError({ path }: Session, how: string): SessionError {
  const what = `The conversation was ${how} while its summary was made`
  return new SessionError('ERR_COMPACTION_RACE', what, { path })
}

function keptOf({ keeps, range, context }: CompactionPlan): Partial<CompactOptions> {
  const { messages } = context
  const coverTo = messages[range.end - 1]!.uuid
  if (keeps === 'prefix') return { keepUpTo: messages[range.start - 1]!.uuid, coverTo }
  return keeps === 'nothing' ? { coverTo } : { keepFrom: messages[range.end]!.uuid }
}

/** Data that the text tells anyway is not stored twice; what is no JSON is not stored. */
function structuredOf({ structured, text }: ChosenSummary): unknown {
  if (structured === undefined || isDeepStrictEqual(structured, readStructured(text))) {
    return undefined
  }
  try {
    return JSON.parse(JSON.stringify(structured)) as unknown
  } catch {
    return undefined
  }
}
