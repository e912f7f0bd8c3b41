// What a compactor is told, and what it tells.

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
} from '../compaction/index.js'
import type { CompactResult } from './session-parts.js'

export type Trigger = 'manual' | 'auto' | 'overflow'

export interface CompactorOptions
  extends CompactionPolicy,
    Pick<UsageOptions, 'countTokens' | 'overheadTokens'> {
  /**
   * The first is asked first (a cheap one), the others when it fails.
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
  /** What every summary should tell besides. */
  instructions?: string | undefined
  /**
   * Where to look for summaries that are there already.
   *
   * @default the checkpoints of the session
   */
  findCheckpoints?: FindCheckpoints | undefined
  /**
   * Writes a checkpoint of what is about to go. Its failure is told and stops nothing.
   *
   * @default one beside the session
   */
  writePreCompaction?: ((context: PreCompactionContext) => Promise<void>) | undefined
  /** Looks whether a checkpoint is due. Runs beside the conversation; nobody waits for it. */
  checkCheckpoint?: ((context: TurnContext) => Promise<void> | void) | undefined
  /** Is told of every compaction: the moment to drop what a provider keeps of the conversation. */
  onCompacted?: ((outcome: CompactionOutcome) => void) | undefined
  /** Is told of everything that failed on the way and stopped nothing. */
  onFailure?: ((failure: SummaryFailure) => void) | undefined
  /**
   * Share one between the sessions that share a summarizer.
   *
   * @default one of its own
   */
  breaker?: Breaker | undefined
  /** Tests give their own clock. */
  environment?: { readonly now?: (() => number) | undefined } | undefined
}

/** Where a conversation stands, for those who keep checkpoints of it. */
export interface TurnContext {
  readonly session_id: string
  readonly transcript_path: string
  /** The newest event of the chain. */
  readonly last_uuid: string | null
  /** The last boundary that counts, `null` before the first. */
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
  /** From so many tokens on compaction is due; endless where only messages count. */
  readonly limit: number
  /** Why compaction is due, if it is. */
  readonly due: 'tokens' | 'messages' | undefined
}

export interface CompactionOutcome extends CompactResult {
  readonly strategy: ChosenSummary['strategy']
  readonly trigger: Trigger
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** The summary is a stand-in; `startRetryLoop` replaces it when it can. */
  readonly needsRetry: boolean
  readonly messagesSummarized: number
  readonly failures: readonly SummaryFailure[]
}

export interface CompactNowOptions
  extends Pick<PlanOptions, 'from' | 'upTo' | 'keepPercent' | 'tokens'> {
  /** @default 'manual' */
  readonly trigger?: Trigger | undefined
  /** What this summary should tell besides. */
  readonly instructions?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What the host counted, where it counts itself; and a way to call the compaction off. */
export type BeforeModelCallOptions = Pick<CompactNowOptions, 'tokens' | 'signal'>
