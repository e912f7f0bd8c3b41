// Compaction as a harness uses it: asked before every call of the model, and told after it. The
// compactor looks how full the context is, plans, gets a summary while the session goes on, and
// commits it.

import {
  Breaker,
  type ChosenSummary,
  type CompactionPlan,
  type CompactionSettings,
  chooseSummary,
  compactionInstructions,
  contextOf,
  measure,
  type PlanOptions,
  planCompaction,
  policySettings,
  type SummaryFailure,
  shouldCompact,
  tokenLimit,
  type UsageOptions,
} from '../compaction/index.js'
import { isSessionError, SessionError } from '../errors.js'
import { callListener } from './call-listener.js'
import {
  type CompactionPlace,
  openPlace,
  type StoredSession,
  storedPlace,
} from './compaction-place.js'
import type {
  BeforeModelCallOptions,
  CompactionOutcome,
  CompactNowOptions,
  CompactorOptions,
  Trigger,
  TurnContext,
  UsageReport,
} from './compactor-options.js'
import { type RetryLoop, type RetryReport, SummaryRetries } from './retry-revisions.js'
import { rollingSummarizer } from './rolling-summary.js'
import type { Session } from './session.js'

// One compaction at a time for each handle, however many compactors it has.
const busy = new WeakSet<object>()

// A compaction that leaves the context nearly full would be followed by the next one at once.
const FULL_AFTER = 0.9

export function createCompactor(session: Session, options: CompactorOptions = {}): Compactor {
  return new Compactor(openPlace(session), options)
}

/**
 * For a session of the store that this process does not keep open. It is locked only while the
 * compaction is written, so others may go on appending to it one by one.
 */
export function createStoredCompactor(
  stored: StoredSession,
  options: CompactorOptions = {},
): Compactor {
  return new Compactor(storedPlace(stored), options)
}

export class Compactor {
  readonly session_id: string
  readonly #place: CompactionPlace
  readonly #options: CompactorOptions
  readonly #settings: CompactionSettings
  readonly #breaker: Breaker
  readonly #retries: SummaryRetries

  /** Use `createCompactor` or `createStoredCompactor`. */
  constructor(place: CompactionPlace, options: CompactorOptions) {
    this.session_id = place.id
    this.#place = place
    this.#options = options
    this.#settings = policySettings(options)
    const now = options.environment?.now ?? Date.now
    this.#breaker = options.breaker ?? new Breaker(this.#settings, now)
    const chain = {
      settings: this.#settings,
      summarizers: options.summarizers ?? [],
      breaker: this.#breaker,
    }
    if (chain.summarizers.length > 0 && options.rollingCheckpoints !== false) {
      const instructions = this.#instructions()
      place.summarizeCheckpoints(rollingSummarizer(place, { ...chain, instructions }))
    }
    this.#retries = new SummaryRetries(place, {
      ...chain,
      instructionsFor: (custom) => this.#instructions(custom),
      now,
      onFailure: (failure) => this.#tell(failure),
    })
  }

  /** How full the context is, by the host's count or the best estimate. */
  usage({ tokens }: Pick<UsageOptions, 'tokens'> = {}): UsageReport {
    const { usage } = measure(contextOf(this.#place.projection), this.#counting(tokens))
    const { maxTokens } = this.#settings
    const due = shouldCompact(usage, this.#settings)
    return { ...usage, maxTokens, limit: tokenLimit(this.#settings), due }
  }

  /** What `compact` would do now; nothing is written and nobody is asked. */
  plan(options: CompactNowOptions = {}): CompactionPlan {
    return planCompaction(this.#place.projection, this.#planOptions(options))
  }

  /** Compacts if it is due; `undefined` where it is not, or where nothing can be covered. */
  async compactIfNeeded({
    tokens,
    signal,
  }: BeforeModelCallOptions = {}): Promise<CompactionOutcome | undefined> {
    if (this.usage({ tokens }).due === undefined) return undefined
    try {
      return await this.compact({ trigger: 'auto', tokens, signal })
    } catch (error) {
      if (isSessionError(error, 'ERR_NOTHING_TO_COMPACT')) return undefined
      throw error
    }
  }

  /** To be called when the prompt is appended, before the model is: compacts if it is due. */
  async beforeModelCall(options: BeforeModelCallOptions = {}): Promise<{
    readonly compaction: CompactionOutcome | undefined
    readonly usage: UsageReport
  }> {
    const compaction = await this.compactIfNeeded(options)
    // What the host counted before a compaction is not the count after it.
    const usage = this.usage(compaction === undefined ? { tokens: options.tokens } : {})
    return { compaction, usage }
  }

  /** To be called when the reply is appended: looks whether a checkpoint is due, beside all else. */
  afterModelCall({ tokens }: Pick<UsageOptions, 'tokens'> = {}): UsageReport {
    const usage = this.usage({ tokens })
    this.#checkCheckpoint(usage.tokens)
    return usage
  }

  /** Compacts now, whether it is due or not. */
  async compact(options: CompactNowOptions = {}): Promise<CompactionOutcome> {
    const { path, handle } = this.#place
    if (busy.has(handle)) {
      throw new SessionError('ERR_COMPACTION_BUSY', `${path} is being compacted`, { path })
    }
    busy.add(handle)
    try {
      const outcome = await this.#compact(options)
      const { onCompacted } = this.#options
      if (onCompacted !== undefined) callListener(() => onCompacted(outcome))
      this.#checkCheckpoint(outcome.tokensAfter)
      return outcome
    } finally {
      busy.delete(handle)
    }
  }

  /** Makes up for summaries that could not be had, now: one pass over all of them. */
  retrySummaries({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<RetryReport> {
    return this.#retries.run({ signal, isForced: true })
  }

  /** The same in the background, every `retryIntervalSeconds`, until it is stopped. */
  startRetryLoop(): RetryLoop {
    return this.#retries.start()
  }

  async #compact(options: CompactNowOptions): Promise<CompactionOutcome> {
    const { trigger = 'manual', signal, instructions } = options
    const planOptions = this.#planOptions(options)
    const plan = planCompaction(this.#place.projection, planOptions)
    const failures = await this.#writePreCompaction(plan, trigger)
    const chosen = await chooseSummary(plan, {
      settings: this.#settings,
      planOptions,
      summarizers: this.#options.summarizers ?? [],
      breaker: this.#breaker,
      instructions: this.#instructions(instructions),
      findCheckpoints: this.#options.findCheckpoints ?? ((_, cycle) => this.#ofCycle(cycle)),
      sessionKey: this.#place.id,
      transcriptPath: this.#place.path,
      signal,
    })
    signal?.throwIfAborted()
    for (const failure of chosen.failures) this.#tell(failure)
    const summaryTokens = this.#summaryTokens(chosen)
    const { tokensBefore, tokensCovered, covered } = chosen.plan
    const tokensAfter = Math.max(0, tokensBefore - tokensCovered) + summaryTokens
    const result = await this.#place.commit(chosen, {
      trigger,
      tokensAfter,
      summaryTokens,
      customInstructions: instructions,
    })
    return {
      ...result,
      strategy: chosen.strategy,
      trigger,
      tokensBefore,
      tokensAfter,
      needsRetry: chosen.needsRetry,
      messagesSummarized: covered.length,
      failures: [...failures, ...chosen.failures],
    }
  }

  async #writePreCompaction(plan: CompactionPlan, trigger: Trigger): Promise<SummaryFailure[]> {
    const { writePreCompaction = () => this.#place.checkpointBefore() } = this.#options
    try {
      await writePreCompaction({ ...this.#turn(plan.tokensBefore), trigger, plan })
      return []
    } catch (error) {
      const failure: SummaryFailure = { step: 'pre_compaction', error }
      this.#tell(failure)
      return [failure]
    }
  }

  /** Only what tells a story: a list of prompts, such as was left a moment ago, is no summary. */
  #ofCycle(cycle: string | null) {
    return this.#place.checkpoints().filter((checkpoint) => {
      const isTold = ['agent', 'explicit'].includes(checkpoint.trigger)
      const isOfCycle = (checkpoint.cycle ?? null) === cycle
      return isOfCycle && (isTold || checkpoint.structured !== undefined)
    })
  }

  #checkCheckpoint(tokens: number): void {
    this.#place.setContextFill({ tokens, maxTokens: this.#settings.maxTokens })
    const { checkCheckpoint } = this.#options
    if (checkCheckpoint === undefined) return
    const context = this.#turn(tokens)
    void (async () => checkCheckpoint(context))().catch((error: unknown) => {
      this.#tell({ step: 'checkpoint_check', error })
    })
  }

  #turn(tokens: number): TurnContext {
    // Looking at the projection writes what this tick holds; only then the tip is the newest.
    const { lastBoundary } = this.#place.projection
    const { id, path, tip } = this.#place
    return {
      session_id: id,
      transcript_path: path,
      last_uuid: tip,
      cycle: lastBoundary?.uuid ?? null,
      tokens,
      maxTokens: this.#settings.maxTokens,
    }
  }

  #planOptions({ from, upTo, keepPercent, tokens }: CompactNowOptions): PlanOptions {
    const { minKeepMessages, summaryMaxTokens } = this.#settings
    return {
      ...this.#counting(tokens),
      from,
      upTo,
      keepPercent: keepPercent ?? this.#settings.keepPercent,
      minKeepMessages,
      summaryMaxTokens,
      maxTokensAfter: tokenLimit(this.#settings) * FULL_AFTER,
    }
  }

  #counting(tokens: number | undefined): UsageOptions {
    const { countTokens, overheadTokens } = this.#options
    return { tokens, countTokens, overheadTokens }
  }

  #instructions(custom?: string): string {
    const wishes = [this.#options.instructions, custom].filter((wish) => wish !== undefined)
    const maxTokens = this.#settings.summaryMaxTokens
    return compactionInstructions({ maxTokens, custom: wishes.join('\n') })
  }

  #summaryTokens({ text, tokens, plan }: ChosenSummary): number {
    if (Number.isSafeInteger(tokens) && (tokens as number) >= 0) return tokens as number
    const { counter } = measure(plan.context, this.#counting(undefined))
    return Math.ceil(counter.count({ type: 'summary', uuid: '', ts: '', payload: { text } }))
  }

  #tell(failure: SummaryFailure): void {
    const { onFailure } = this.#options
    if (onFailure !== undefined) callListener(() => onFailure(failure))
  }
}
