// Options and results of a compactor.

import type {
  Breaker,
  ChosenSummary,
  CompactionPlan,
  CompactionPolicy,
  ContextUsage,
  FindCheckpoints,
  PlanOptions,
  Summarizer,
  SummaryFailure,
  UsageOptions,
} from '../../compaction/index.js'
import type { EnvironmentOverrides } from '../../environment/index.js'
import type { CompactResult } from '../types.js'

export type Trigger = 'manual' | 'auto' | 'overflow'

export interface CompactorOptions
  extends CompactionPolicy,
    Pick<UsageOptions, 'countTokens' | 'overheadTokens'> {
  /**
   * Tried in order: a cheap one first, the others when it fails.
   *
   * @default none: checkpoints, else a stub
   */
  summarizers?: readonly Summarizer[] | undefined
  /**
   * Whether the same summarizers also make the rolling checkpoints of the session, at a quarter, a
   * half and three quarters of the context and every ten prompts.
   *
   * @default true
   */
  rollingCheckpoints?: boolean | undefined
  /**
   * Added to the instructions of every summary.
   *
   * @default none
   */
  instructions?: string | undefined
  /**
   * Finds existing summaries.
   *
   * @default the checkpoints of the session
   */
  findCheckpoints?: FindCheckpoints | undefined
  /**
   * Stores a checkpoint before a compaction. Its failure is reported and does not stop anything.
   *
   * @default a checkpoint of the session
   */
  writePreCompaction?: ((context: PreCompactionContext) => Promise<void>) | undefined
  /**
   * Checks whether a checkpoint is due. It is not awaited.
   *
   * @default none
   */
  checkCheckpoint?: ((context: TurnContext) => Promise<void> | void) | undefined
  /**
   * Called after every compaction: the moment to drop the caches of a provider.
   *
   * @default none
   */
  onCompacted?: ((outcome: CompactionOutcome) => void) | undefined
  /**
   * Called with every failure that did not stop a compaction.
   *
   * @default none
   */
  onFailure?: ((failure: SummaryFailure) => void) | undefined
  /**
   * Share one between the sessions that share a summarizer.
   *
   * @default one of its own
   */
  breaker?: Breaker | undefined
  /**
   * Replaces the clock and the timers, for tests.
   *
   * @default those of the session
   */
  environment?: EnvironmentOverrides | undefined
}

/** The state of a conversation, for functions that store checkpoints. */
export interface TurnContext {
  readonly sessionId: string
  readonly transcriptPath: string
  /** The newest event of the chain. */
  readonly lastUuid: string | null
  /** The last valid boundary, `null` before the first. */
  readonly cycle: string | null
  readonly tokens: number
  readonly maxTokens: number
}

export interface PreCompactionContext extends TurnContext {
  readonly trigger: Trigger
  readonly plan: CompactionPlan
}

export interface UsageReport extends ContextUsage {
  readonly maxTokens: number
  /** Compaction is due from this number of tokens on; infinite where only messages count. */
  readonly limit: number
  /** Why compaction is due, if it is. */
  readonly due: 'tokens' | 'messages' | undefined
}

export interface CompactionOutcome extends CompactResult {
  readonly strategy: ChosenSummary['strategy']
  readonly trigger: Trigger
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** The summary is a stub; `startRetryLoop` replaces it. */
  readonly needsRetry: boolean
  readonly messagesSummarized: number
  readonly failures: readonly SummaryFailure[]
}

export interface CompactNowOptions
  extends Pick<PlanOptions, 'from' | 'upTo' | 'keepPercent' | 'tokens'> {
  /**
   * Why the session is compacted now.
   *
   * @default 'manual'
   */
  readonly trigger?: Trigger | undefined
  /**
   * Added to the instructions of this summary.
   *
   * @default none
   */
  readonly instructions?: string | undefined
  /**
   * Aborts the call.
   *
   * @default none
   */
  readonly signal?: AbortSignal | undefined
}

/** The tokens that the host counted, if it counts them; and a signal to cancel. */
export type BeforeModelCallOptions = Pick<CompactNowOptions, 'tokens' | 'signal'>
