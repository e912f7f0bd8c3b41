// Compaction as a harness uses it, before and after every call of the model. The compactor measures
// the context, plans, gets a summary while the session continues, and commits it.

import { fieldsOf } from '../../chain/index.js'
import {
  askFor,
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
  readStructured,
  type StructuredSummary,
  type Summary,
  type SummaryChain,
  type SummaryFailure,
  shouldCompact,
  tokenLimit,
  type UsageOptions,
} from '../../compaction/index.js'
import type { RollingSummarizer } from '../../continuity/index.js'
import { type Environment, environmentFrom } from '../../environment/index.js'
import { isSessionError, SessionError } from '../../errors.js'
import { type StoreContext, withConfig } from '../../store/index.js'
import { notifyListener } from '../notify-listener.js'
import type { Session } from '../session.js'
import type { SessionOptions } from '../settings.js'
import type {
  BeforeModelCallOptions,
  CompactionOutcome,
  CompactNowOptions,
  CompactorOptions,
  Trigger,
  TurnContext,
  UsageReport,
} from './options.js'
import { type RetryLoop, type RetryReport, SummaryRetries } from './retry-summaries.js'
import { type CompactionTarget, openTarget, storedTarget } from './target.js'

// One compaction at a time for each handle, however many compactors it has.
const busy = new WeakSet<object>()

// A compaction that leaves the context nearly full would be followed by the next one immediately.
const FULL_AFTER = 0.9

/**
 * Creates a compactor for an open session: it plans, asks the summarizers and commits when it is
 * due.
 */
export function createCompactor(session: Session, options: CompactorOptions = {}): Compactor {
  return new Compactor(openTarget(session), options)
}

/**
 * For a stored session that this process does not keep open. It is locked only while the compaction
 * is written, so other processes may continue to append to it.
 */
export function createStoredCompactor(
  store: StoreContext,
  session: string,
  options: CompactorOptions & SessionOptions = {},
): Compactor {
  const given = withConfig(store, 'compaction', options)
  return new Compactor(storedTarget(store, session, given), given)
}

export class Compactor {
  readonly sessionId: string
  readonly #target: CompactionTarget
  readonly #options: CompactorOptions
  readonly #settings: CompactionSettings
  readonly #env: Environment
  readonly #breaker: Breaker
  readonly #retries: SummaryRetries

  /** Use `createCompactor` or `createStoredCompactor`. */
  constructor(target: CompactionTarget, options: CompactorOptions) {
    this.sessionId = target.session.id
    this.#target = target
    this.#options = options
    this.#settings = policySettings(options)
    const { environment } = options
    const env = environment === undefined ? target.session.store.env : environmentFrom(environment)
    this.#env = env
    this.#breaker = options.breaker ?? new Breaker(this.#settings, env.now)
    const chain = {
      env,
      settings: this.#settings,
      summarizers: options.summarizers ?? [],
      breaker: this.#breaker,
    }
    if (chain.summarizers.length > 0 && options.rollingCheckpoints !== false) {
      const instructions = this.#instructions()
      target.session.summarizeCheckpoints(
        rollingSummarizer(target.session, { ...chain, instructions }),
      )
    }
    this.#retries = new SummaryRetries(target, {
      ...chain,
      instructionsFor: (custom) => this.#instructions(custom),
      onFailure: (failure) => this.#report(failure),
    })
  }

  /** Measures the context, by the host's count or the best estimate. */
  usage({ tokens }: Pick<UsageOptions, 'tokens'> = {}): UsageReport {
    const { usage } = measure(contextOf(this.#target.session.projection), this.#counting(tokens))
    const { maxTokens } = this.#settings
    const due = shouldCompact(usage, this.#settings)
    return { ...usage, maxTokens, limit: tokenLimit(this.#settings), due }
  }

  /** What `compact` would do now. Writes nothing and calls no summarizer. */
  plan(options: CompactNowOptions = {}): CompactionPlan {
    return planCompaction(this.#target.session.projection, this.#planOptions(options))
  }

  /** Compacts if it is due; `undefined` if it is not, or if nothing can be covered. */
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

  /** Call it after appending the prompt, before the model: compacts if it is due. */
  async beforeModelCall(options: BeforeModelCallOptions = {}): Promise<{
    readonly compaction: CompactionOutcome | undefined
    readonly usage: UsageReport
  }> {
    const compaction = await this.compactIfNeeded(options)
    // What the host counted before a compaction is not the count after it.
    const usage = this.usage(compaction === undefined ? { tokens: options.tokens } : {})
    return { compaction, usage }
  }

  /** Call it after appending the reply: checks whether a checkpoint is due, without waiting. */
  afterModelCall({ tokens }: Pick<UsageOptions, 'tokens'> = {}): UsageReport {
    const usage = this.usage({ tokens })
    this.#checkCheckpoint(usage.tokens)
    return usage
  }

  /** Compacts now, whether it is due or not. */
  async compact(options: CompactNowOptions = {}): Promise<CompactionOutcome> {
    const { session } = this.#target
    if (busy.has(session)) {
      const { path } = session
      throw new SessionError('ERR_COMPACTION_BUSY', `${path} is being compacted`, { path })
    }
    busy.add(session)
    try {
      const outcome = await this.#compact(options)
      const { onCompacted } = this.#options
      if (onCompacted !== undefined) notifyListener(session.store, () => onCompacted(outcome))
      this.#checkCheckpoint(outcome.tokensAfter)
      return outcome
    } finally {
      busy.delete(session)
    }
  }

  /** Retries all summaries that could not be made, in one pass. */
  retrySummaries({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<RetryReport> {
    return this.#retries.run({ signal, all: true })
  }

  /** Retries in the background, every `retryIntervalSeconds`, until it is stopped. */
  startRetryLoop(): RetryLoop {
    return this.#retries.start()
  }

  async #compact(options: CompactNowOptions): Promise<CompactionOutcome> {
    const { trigger = 'manual', signal, instructions } = options
    const planOptions = this.#planOptions(options)
    const plan = planCompaction(this.#target.session.projection, planOptions)
    const failures = await this.#writePreCompaction(plan, trigger)
    const chosen = await chooseSummary(plan, {
      env: this.#env,
      settings: this.#settings,
      planOptions,
      summarizers: this.#options.summarizers ?? [],
      breaker: this.#breaker,
      instructions: this.#instructions(instructions),
      findCheckpoints: this.#options.findCheckpoints ?? ((_, cycle) => this.#listOfCycle(cycle)),
      sessionKey: this.#target.session.id,
      transcriptPath: this.#target.session.path,
      signal,
    })
    signal?.throwIfAborted()
    for (const failure of chosen.failures) this.#report(failure)
    const summaryTokens = this.#summaryTokens(chosen)
    const { tokensBefore, tokensCovered, covered } = chosen.plan
    const tokensAfter = Math.max(0, tokensBefore - tokensCovered) + summaryTokens
    const result = await this.#target.commit(chosen, {
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
    const { writePreCompaction = () => this.#target.session.checkpointBeforeCompaction() } =
      this.#options
    try {
      await writePreCompaction({ ...this.#turn(plan.tokensBefore), trigger, plan })
      return []
    } catch (error) {
      const failure: SummaryFailure = { step: 'pre_compaction', error }
      this.#report(failure)
      return [failure]
    }
  }

  /** Only checkpoints that are summaries: a list of prompts is not one. */
  #listOfCycle(cycle: string | null) {
    return this.#target.session.checkpoints().filter((checkpoint) => {
      const isWritten = ['agent', 'explicit'].includes(checkpoint.trigger)
      const isOfCycle = (checkpoint.cycle ?? null) === cycle
      return isOfCycle && (isWritten || checkpoint.structured !== undefined)
    })
  }

  #checkCheckpoint(tokens: number): void {
    this.#target.session.setContextUse({ tokens, maxTokens: this.#settings.maxTokens })
    const { checkCheckpoint } = this.#options
    if (checkCheckpoint === undefined) return
    const context = this.#turn(tokens)
    void (async () => checkCheckpoint(context))().catch((error: unknown) => {
      this.#report({ step: 'checkpoint_check', error })
    })
  }

  #turn(tokens: number): TurnContext {
    // Reading the projection writes the lines of this tick; only then the tip is the newest.
    const { lastBoundary } = this.#target.session.projection
    const { id, path, tip } = this.#target.session
    return {
      sessionId: id,
      transcriptPath: path,
      lastUuid: tip,
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

  #report(failure: SummaryFailure): void {
    const { onFailure } = this.#options
    if (onFailure !== undefined)
      notifyListener(this.#target.session.store, () => onFailure(failure))
  }
}

type RollingChain = Pick<
  SummaryChain,
  'env' | 'settings' | 'summarizers' | 'breaker' | 'instructions'
>

/** Rolling checkpoints by the summarizers of a compactor, in the same order, with the same breaker. */
function rollingSummarizer(
  session: CompactionTarget['session'],
  chain: RollingChain,
): RollingSummarizer {
  return async ({ signal }) => {
    const context = contextOf(session.projection)
    const range = { start: 0, end: context.entries.length }
    const { found, failures } = await askFor({ context, range }, { ...chain, signal })
    if (found === undefined) {
      const paused = 'The summarizer failed too often and is paused'
      throw failures.at(-1)?.error ?? new SessionError('ERR_SUMMARIZER', paused)
    }
    return toCheckpointParts(found.summary)
  }
}

/** As the summarizer gave it as data, else as its text reads. */
function toCheckpointParts({ text, structured, model }: Summary) {
  const parts: Partial<StructuredSummary> = { ...readStructured(text), ...fieldsOf(structured) }
  const { summary = '', topics, keyDecisions, openQuestions, nextSteps } = parts
  const lists = { topics, keyDecisions, openQuestions, nextSteps, model }
  return { ...lists, summary: String(summary).trim() === '' ? text : String(summary) }
}
