// What a compaction needs of a session, to read it and to add to it. The session is either open in
// this process, or stored and locked only while something is written.

import { isDeepStrictEqual } from 'node:util'
import { isGap } from '../../chain/index.js'
import {
  type ChosenSummary,
  type CompactionPlan,
  isSame,
  readStructured,
} from '../../compaction/index.js'
import { SessionError } from '../../errors.js'
import type { NewEvent } from '../../log/index.js'
import {
  findTranscript,
  listCheckpoints,
  loadSession,
  type StoreContext,
} from '../../store/index.js'
import { checkpointBeforeCompaction } from '../checkpoints/one-shot.js'
import { resumeSession, sessionIdOf } from '../lifecycle/resume.js'
import { appendTranscript } from '../record/one-shot.js'
import type { Session } from '../session.js'
import type { SessionOptions } from '../settings.js'
import type { CompactResult } from '../types.js'
import type { CompactInternals, CompactOptions } from './compaction-events.js'

export type CommitOptions = Pick<
  CompactOptions,
  'trigger' | 'tokensAfter' | 'summaryTokens' | 'customInstructions'
>

/** What a compactor reads of a session, and what it may do to it. */
type CompactedSession = Pick<
  Session,
  | 'store'
  | 'id'
  | 'path'
  | 'tip'
  | 'projection'
  | 'projectionAt'
  | 'checkpoints'
  | 'checkpointBeforeCompaction'
  | 'setContextUse'
  | 'summarizeCheckpoints'
>

export interface CompactionTarget {
  /** Only one compaction of the same handle runs at a time. */
  readonly session: CompactedSession
  /** Appends an off-chain event. */
  append(event: NewEvent): Promise<unknown>
  /** Throws `ERR_COMPACTION_RACE` if the conversation was compacted or rewound since the plan. */
  commit(chosen: ChosenSummary, options: CommitOptions): Promise<CompactResult>
}

/** A session that this process keeps open. */
export function openTarget(session: Session): CompactionTarget {
  return {
    session,
    append: (event) => session.append(event),
    commit: (chosen, options) => commitCompaction(session, chosen, options),
  }
}

/** A session that is not kept open: other processes may append to it meanwhile. */
export function storedTarget(
  store: StoreContext,
  session: string,
  options: SessionOptions,
): CompactionTarget {
  const path = findTranscript(store, session)
  const load = (at?: string) => loadSession(store, path, { at, lazyPayloads: true })
  const id = sessionIdOf(load())
  const view: CompactedSession = {
    store,
    id,
    path,
    get tip() {
      return load().log.path.at(-1)?.event.uuid ?? null
    },
    get projection() {
      return load().log.projection
    },
    projectionAt: (uuid) => load(uuid).log.projection,
    checkpoints: () =>
      listCheckpoints(store, { session: id }).checkpoints.map(({ checkpoint }) => checkpoint),
    checkpointBeforeCompaction: () => {
      const { log, events } = load()
      const facts = {
        transcript_offset: (events.at(-1)?.byte_offset ?? 0) + 1,
        last_uuid: log.path.at(-1)?.event.uuid ?? null,
      }
      return checkpointBeforeCompaction(store, { id, path, facts }, options)
    },
    // Only the process that writes the session makes rolling checkpoints.
    setContextUse: () => {},
    summarizeCheckpoints: () => {},
  }
  return {
    session: view,
    append: (event) => appendTranscript(store, { session_id: id, event }, options),
    commit: async (chosen, commitOptions) => {
      const resume = { ...options, id, mode: 'append', quiet: true } as const
      const { session: open } = await resumeSession(store, resume)
      try {
        return await commitCompaction(open!, chosen, commitOptions)
      } finally {
        await open!.release()
      }
    },
  }
}

/**
 * Commits a summary that was made while the session continued, if the model still sees what it
 * covers. No lock was held meanwhile, so concurrent changes are detected here.
 */
async function commitCompaction(
  session: Session,
  chosen: ChosenSummary,
  options: CommitOptions,
): Promise<CompactResult> {
  const { plan, text, model, strategy, needsRetry, checkpointId } = chosen
  assertUnchanged(session, plan)
  const { keep, coverTo } = toKept(plan)
  // No `await` before this: it writes in the same step as the check.
  const committed = session.compact(
    {
      ...options,
      ...keep,
      summary: text,
      strategy,
      tokensBefore: plan.tokensBefore,
      model: typeof model === 'string' ? model : undefined,
      structured: toStructured(chosen),
      needsSummaryRetry: needsRetry,
      keepPercent: plan.keepPercent,
      checkpointId,
    },
    { checkpointed: true, coverTo },
  )
  const result = await committed
  // Without the kernel lock another process may have written just before us.
  if (session.projection.lastBoundary?.uuid === result.boundaryUuid) return result
  throw raceError(session, 'by another process')
}

/** Messages may have been added after those of the plan; any other change is a race. */
function assertUnchanged(session: Session, { context }: CompactionPlan): void {
  const { entries, lastBoundary } = session.projection
  if ((lastBoundary?.uuid ?? null) !== context.boundaryUuid) {
    throw raceError(session, 'compacted, or rewound to before its last compaction,')
  }
  const present = entries.filter((entry) => !isGap(entry))
  const isUnchanged = context.entries.every((planned, index) => {
    const entry = present[index]
    return entry !== undefined && isSame(entry, planned)
  })
  if (!isUnchanged) throw raceError(session, 'rewound')
}

function raceError({ path }: Session, how: string): SessionError {
  const what = `The conversation was ${how} while its summary was made`
  return new SessionError('ERR_COMPACTION_RACE', what, { path })
}

function toKept({ keeps, range, context }: CompactionPlan): CompactInternals & {
  keep: Pick<CompactOptions, 'keepFrom' | 'keepUpTo'>
} {
  const { messages } = context
  const coverTo = messages[range.end - 1]!.uuid
  if (keeps === 'prefix') return { keep: { keepUpTo: messages[range.start - 1]!.uuid }, coverTo }
  return keeps === 'nothing'
    ? { keep: {}, coverTo }
    : { keep: { keepFrom: messages[range.end]!.uuid } }
}

/** Data that the text holds too is not stored twice; data that is not JSON is not stored. */
function toStructured({ structured, text }: ChosenSummary): unknown {
  if (structured === undefined || isDeepStrictEqual(structured, readStructured(text))) {
    return undefined
  }
  try {
    return JSON.parse(JSON.stringify(structured)) as unknown
  } catch {
    return undefined
  }
}
