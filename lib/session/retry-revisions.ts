// Summaries that could not be had when they were needed are made up for later: what was covered is
// read from the log once more, and the better text is appended as a revision. The boundary stays
// as it was written.

import { fieldsOf, isGap } from '../chain/index.js'
import {
  askFor,
  type Context,
  contextOf,
  type SummaryChain,
  type SummaryFailure,
} from '../compaction/index.js'
import { isSessionError } from '../errors.js'
import type { CompactionPlace } from './compaction-place.js'
import { PendingSummaries, type PendingSummary } from './pending-summaries.js'
import { withoutUndefined } from './without-undefined.js'

export interface RetrySettings extends Pick<SummaryChain, 'settings' | 'summarizers' | 'breaker'> {
  /** With what was wanted of this very summary besides. */
  readonly instructionsFor: (custom: string | undefined) => string
  readonly now: () => number
  readonly onFailure: (failure: SummaryFailure) => void
}

export interface RetriedSummary {
  readonly boundary_uuid: string
  readonly summary_uuid: string
}

export interface RetryReport {
  readonly revised: readonly RetriedSummary[]
  /** To be tried again later. */
  readonly failed: readonly (RetriedSummary & { readonly failures: readonly SummaryFailure[] })[]
}

export interface RetryLoop {
  /** Resolves once nothing of it is running any more. */
  stop(): Promise<void>
}

const BACKOFF_MS_MAX = 60 * 60 * 1000

export class SummaryRetries {
  readonly #place: CompactionPlace
  readonly #settings: RetrySettings
  readonly #pending: PendingSummaries
  /** Each has its own patience, so that one that always fails delays nobody else. */
  readonly #attempts = new Map<string, { count: number; dueAt: number }>()

  constructor(place: CompactionPlace, settings: RetrySettings) {
    this.#place = place
    this.#settings = settings
    this.#pending = new PendingSummaries(place.path)
  }

  /** One pass over all that are due; `isForced`: over all. */
  async run({
    signal,
    isForced = false,
  }: {
    signal?: AbortSignal | undefined
    isForced?: boolean
  } = {}): Promise<RetryReport> {
    const report = {
      revised: [] as RetriedSummary[],
      failed: [] as RetryReport['failed'][number][],
    }
    for (const pending of this.#inOrder()) {
      if (!isForced && !this.#isDue(pending)) continue
      signal?.throwIfAborted()
      const name = { boundary_uuid: pending.boundaryUuid, summary_uuid: pending.summaryUuid }
      const result = await this.#retry(pending, signal)
      if (result === 'revised') report.revised.push(name)
      else if (result !== 'void') report.failed.push({ ...name, failures: result })
    }
    return report
  }

  /** A pass at once, then one every so often, without keeping the process alive. */
  start(): RetryLoop {
    const intervalMs = this.#settings.settings.retryIntervalSeconds * 1000
    if (intervalMs === 0) return { stop: async () => {} }
    const controller = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const pass = async (): Promise<void> => {
      try {
        await this.run({ signal: controller.signal })
      } catch (error) {
        // A session that was closed has no place for a revision any more.
        if (controller.signal.aborted || isSessionError(error, 'ERR_CLOSED')) return
        this.#settings.onFailure({ step: 'retry', error })
      }
      if (controller.signal.aborted) return
      timer = setTimeout(() => {
        running = pass()
      }, intervalMs)
      timer.unref()
    }
    let running = pass()
    return {
      stop: () => {
        controller.abort()
        clearTimeout(timer)
        return running
      },
    }
  }

  /** Those the model still sees first, then the oldest. */
  #inOrder(): readonly PendingSummary[] {
    const { entries } = this.#place.projection
    const shown = new Set(entries.flatMap((entry) => (isGap(entry) ? [] : entry.event.uuid)))
    const rank = ({ summaryUuid }: PendingSummary) => (shown.has(summaryUuid) ? 0 : 1)
    return this.#pending.list().toSorted((one, other) => rank(one) - rank(other))
  }

  #isDue({ boundaryUuid }: PendingSummary): boolean {
    const attempt = this.#attempts.get(boundaryUuid)
    return attempt === undefined || this.#settings.now() >= attempt.dueAt
  }

  /** `void`: its boundary does not count, so nobody reads its summary. Else what went wrong. */
  async #retry(
    pending: PendingSummary,
    signal: AbortSignal | undefined,
  ): Promise<'revised' | 'void' | readonly SummaryFailure[]> {
    const attempt = (this.#attempts.get(pending.boundaryUuid)?.count ?? 0) + 1
    try {
      const covered = coveredOf(this.#place, pending)
      if (covered === undefined) {
        this.#pending.forget(pending)
        return 'void'
      }
      const { custom_instructions: custom } = fieldsOf(pending.boundary.payload)
      const wish = typeof custom === 'string' ? custom : undefined
      const instructions = this.#settings.instructionsFor(wish)
      const { found, failures } =
        covered.range.end > covered.range.start
          ? await askFor(covered, { ...this.#settings, instructions, signal })
          : { found: { summary: { text: covered.text, model: undefined } }, failures: [] }
      if (found === undefined) return this.#failed(pending, attempt, failures)
      const { text, model } = found.summary
      await this.#append(pending, { text, model, attempt })
      return 'revised'
    } catch (error) {
      signal?.throwIfAborted()
      if (isSessionError(error, 'ERR_CLOSED')) throw error
      return this.#failed(pending, attempt, [{ step: 'retry', error }])
    }
  }

  async #append(
    { boundaryUuid: boundary_uuid, summaryUuid: summary_event_uuid }: PendingSummary,
    { text, model, attempt }: { text: string; model: string | undefined; attempt: number },
  ): Promise<void> {
    const named = typeof model === 'string' ? model : undefined
    const fields = { summary_event_uuid, boundary_uuid, text, attempt, final: true, model: named }
    await this.#place.append({ type: 'summary_revision', payload: withoutUndefined(fields) })
  }

  #failed(
    { boundaryUuid }: PendingSummary,
    count: number,
    failures: readonly SummaryFailure[],
  ): readonly SummaryFailure[] {
    const { settings, now, onFailure } = this.#settings
    const delay = settings.retryIntervalSeconds * 1000 * 2 ** Math.min(count - 1, 30)
    this.#attempts.set(boundaryUuid, { count, dueAt: now() + Math.min(delay, BACKOFF_MS_MAX) })
    for (const failure of failures) onFailure(failure)
    return failures
  }
}

interface Covered {
  readonly context: Context
  readonly range: { readonly start: number; readonly end: number }
  /** What the summary says now. */
  readonly text: string
}

/** What a boundary covers, as the model saw it then; `undefined` where it does not count. */
function coveredOf(place: CompactionPlace, pending: PendingSummary): Covered | undefined {
  const after = place.projectionAt(pending.boundaryUuid)
  if (after.lastBoundary?.uuid !== pending.boundaryUuid) return undefined
  const summary = after.entries.findLast(
    (entry) => entry.kind === 'summary' && entry.event.uuid === pending.summaryUuid,
  )
  if (summary?.kind !== 'summary') return undefined
  const context = contextOf(place.projectionAt(pending.seenUuid))
  return { context, range: rangeOf(context, pending), text: summary.text }
}

/** Of what it names some may be damaged by now; what is left of it is what can be summed up. */
function rangeOf({ messages }: Context, { boundary }: PendingSummary): Covered['range'] {
  const { anchorUuid, headUuid, tailUuid, coveredToUuid } = fieldsOf(boundary.payload)
  const indexOf = (uuid: unknown) => messages.findLastIndex((message) => message.uuid === uuid)
  const isPrefixKept = anchorUuid === boundary.uuid
  const last = indexOf(coveredToUuid)
  const head = indexOf(headUuid)
  return {
    start: isPrefixKept ? indexOf(tailUuid) + 1 : 0,
    end: last !== -1 ? last + 1 : head !== -1 ? head : messages.length,
  }
}
