// Retries summaries that could not be made when they were needed: the covered messages are read from
// the log again, and the better text is appended as a revision. The boundary is not changed.

import { fieldsOf, isGap } from '../../chain/index.js'
import {
  askFor,
  type Context,
  contextOf,
  type SummaryChain,
  type SummaryFailure,
} from '../../compaction/index.js'
import type { Environment, Timer } from '../../environment/index.js'
import { isSessionError } from '../../errors.js'
import { type SessionEvent, withoutUndefined } from '../../format/index.js'
import { readLogSync, scanLog } from '../../log/index.js'
import type { CompactionTarget } from './target.js'

export interface RetrySettings
  extends Pick<SummaryChain, 'env' | 'settings' | 'summarizers' | 'breaker'> {
  /** With the custom instructions of this summary. */
  readonly instructionsFor: (custom: string | undefined) => string
  readonly onFailure: (failure: SummaryFailure) => void
}

export interface RetriedSummary {
  readonly boundaryUuid: string
  readonly summaryUuid: string
}

export interface RetryReport {
  readonly revised: readonly RetriedSummary[]
  /** To be tried again later. */
  readonly failed: readonly (RetriedSummary & { readonly failures: readonly SummaryFailure[] })[]
}

export interface RetryLoop {
  /** Resolves when the running pass has ended. */
  stop(): Promise<void>
}

const BACKOFF_MS_MAX = 60 * 60 * 1000

export class SummaryRetries {
  readonly #target: CompactionTarget
  readonly #settings: RetrySettings
  readonly #pending: PendingSummaries
  /** Each has its own backoff, so that one that always fails does not delay the others. */
  readonly #attempts = new Map<string, { count: number; dueAt: number }>()

  constructor(target: CompactionTarget, settings: RetrySettings) {
    this.#target = target
    this.#settings = settings
    this.#pending = new PendingSummaries(target)
  }

  /** One pass over all that are due, or over all. */
  async run({
    signal,
    all = false,
  }: {
    signal?: AbortSignal | undefined
    all?: boolean
  } = {}): Promise<RetryReport> {
    const report = {
      revised: [] as RetriedSummary[],
      failed: [] as RetryReport['failed'][number][],
    }
    for (const pending of this.#inOrder()) {
      if (!all && !this.#isDue(pending)) continue
      signal?.throwIfAborted()
      const { boundaryUuid, summaryUuid } = pending
      const name = { boundaryUuid, summaryUuid }
      const result = await this.#retry(pending, signal)
      if (result === 'revised') report.revised.push(name)
      else if (result !== 'invalid') report.failed.push({ ...name, failures: result })
    }
    return report
  }

  /** One pass immediately, then one per interval, without keeping the process alive. */
  start(): RetryLoop {
    const { env, settings } = this.#settings
    const intervalMs = settings.retryIntervalSeconds * 1000
    if (intervalMs === 0) return { stop: async () => {} }
    const controller = new AbortController()
    let timer: Timer | undefined
    const pass = async (): Promise<void> => {
      try {
        await this.run({ signal: controller.signal })
      } catch (error) {
        // A closed session cannot be appended to.
        if (controller.signal.aborted || isSessionError(error, 'ERR_CLOSED')) return
        this.#settings.onFailure({ step: 'retry', error })
      }
      if (controller.signal.aborted) return
      timer = env.timers.setTimeout(() => {
        running = pass()
      }, intervalMs)
      timer.unref()
    }
    let running = pass()
    return {
      stop: () => {
        controller.abort()
        env.timers.clearTimeout(timer)
        return running
      },
    }
  }

  /** First those that the model still sees, then the oldest. */
  #inOrder(): readonly PendingSummary[] {
    const { entries } = this.#target.session.projection
    const shown = new Set(entries.flatMap((entry) => (isGap(entry) ? [] : entry.event.uuid)))
    const rank = ({ summaryUuid }: PendingSummary) => (shown.has(summaryUuid) ? 0 : 1)
    return this.#pending.list().toSorted((one, other) => rank(one) - rank(other))
  }

  #isDue({ boundaryUuid }: PendingSummary): boolean {
    const attempt = this.#attempts.get(boundaryUuid)
    return attempt === undefined || this.#settings.env.now() >= attempt.dueAt
  }

  /** `invalid`: its boundary has no effect, and neither has its summary. */
  async #retry(
    pending: PendingSummary,
    signal: AbortSignal | undefined,
  ): Promise<'revised' | 'invalid' | readonly SummaryFailure[]> {
    const attempt = (this.#attempts.get(pending.boundaryUuid)?.count ?? 0) + 1
    try {
      const covered = readCovered(this.#target, pending)
      if (covered === undefined) {
        this.#pending.remove(pending)
        return 'invalid'
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
    await this.#target.append({ type: 'summary_revision', payload: withoutUndefined(fields) })
  }

  #failed(
    { boundaryUuid }: PendingSummary,
    count: number,
    failures: readonly SummaryFailure[],
  ): readonly SummaryFailure[] {
    const { env, settings, onFailure } = this.#settings
    const delay = settings.retryIntervalSeconds * 1000 * 2 ** Math.min(count - 1, 30)
    this.#attempts.set(boundaryUuid, { count, dueAt: env.now() + Math.min(delay, BACKOFF_MS_MAX) })
    for (const failure of failures) onFailure(failure)
    return failures
  }
}

interface Covered {
  readonly context: Context
  readonly range: { readonly start: number; readonly end: number }
  /** The present summary. */
  readonly text: string
}

/** What a boundary covers, as the model saw it then; `undefined` if it has no effect. */
function readCovered(target: CompactionTarget, pending: PendingSummary): Covered | undefined {
  const after = target.session.projectionAt(pending.boundaryUuid)
  if (after.lastBoundary?.uuid !== pending.boundaryUuid) return undefined
  const summary = after.entries.findLast(
    (entry) => entry.kind === 'summary' && entry.event.uuid === pending.summaryUuid,
  )
  if (summary?.kind !== 'summary') return undefined
  const context = contextOf(target.session.projectionAt(pending.seenUuid))
  return { context, range: findRange(context, pending), text: summary.text }
}

/** Some of the named messages may be damaged by now; the rest is summarized. */
function findRange({ messages }: Context, { boundary }: PendingSummary): Covered['range'] {
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

interface PendingSummary {
  readonly boundaryUuid: string
  readonly summaryUuid: string
  /** The event before the summary: it covers what the model saw then. */
  readonly seenUuid: string
  readonly boundary: SessionEvent
}

/** Reads only the lines that were added since the last call of `list`. */
class PendingSummaries {
  readonly #path: string
  readonly #env: Environment
  /** Summary → the event before it. */
  readonly #seen = new Map<string, string>()
  readonly #pending = new Map<string, PendingSummary>()
  #readTo = 0

  constructor({ session: { path, store } }: CompactionTarget) {
    this.#path = path
    this.#env = store.env
  }

  /** In the order of the log. */
  list(): readonly PendingSummary[] {
    const found: { readonly type: string; readonly byteOffset: number }[] = []
    scanLog(
      this.#path,
      ({ type, uuid, prev_uuid, byte_offset: byteOffset, length }) => {
        this.#readTo = byteOffset + length
        if (type === 'summary' && prev_uuid !== null) this.#seen.set(uuid, prev_uuid)
        if (type === 'compaction_boundary' || type === 'summary_revision') {
          found.push({ type, byteOffset })
        }
      },
      { from: this.#readTo, verify: true, environment: this.#env },
    )
    for (const { type, byteOffset } of found) {
      const event = this.#readEvent(byteOffset)
      if (event === undefined) continue
      if (type === 'summary_revision') this.#addRevision(event)
      else this.#addBoundary(event)
    }
    return [...this.#pending.values()]
  }

  /** It can never be repaired: its boundary is not valid. */
  remove({ boundaryUuid }: PendingSummary): void {
    this.#pending.delete(boundaryUuid)
  }

  #addBoundary(boundary: SessionEvent): void {
    const { needs_summary_retry, summary_event_uuid } = fieldsOf(boundary.payload)
    if (needs_summary_retry !== true || typeof summary_event_uuid !== 'string') return
    const seenUuid = this.#seen.get(summary_event_uuid)
    if (seenUuid === undefined) return
    this.#pending.set(boundary.uuid, {
      boundaryUuid: boundary.uuid,
      summaryUuid: summary_event_uuid,
      seenUuid,
      boundary,
    })
  }

  #addRevision({ payload }: SessionEvent): void {
    const { boundary_uuid, final } = fieldsOf(payload)
    if (final === true) this.#pending.delete(boundary_uuid as string)
  }

  #readEvent(from: number): SessionEvent | undefined {
    for (const entry of readLogSync(this.#path, { from, environment: this.#env })) {
      return entry.kind === 'event' ? entry.event : undefined
    }
    return undefined
  }
}
