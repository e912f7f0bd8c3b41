// The type of a summarizer. The caller supplies it; this module never calls a model itself.

import type { Message } from '../chain/index.js'

/** What a summarizer is given. */
export interface SummaryRequest {
  /** The messages that the summary replaces, in order, repaired as for a model. */
  readonly messages: readonly Message[]
  /** The summary before these messages; the new one must include it. */
  readonly previousSummary: string | undefined
  /** The size the summary should have. */
  readonly maxTokens: number
  /** Aborted on timeout, and when the answer is no longer needed. */
  readonly signal: AbortSignal
  /** `compactionInstructions()`, or the host's own. */
  readonly instructions: string
  /** How much the summarizer should send to its model; the newest messages matter most. */
  readonly maxInputTokens?: number | undefined
}

/** What a summarizer returns. */
export interface Summary {
  readonly text: string
  /** The same as data; the built-in summarizers return a `StructuredSummary`. */
  readonly structured?: unknown
  /** Recorded with the summary. */
  readonly model?: string | undefined
  /** The length of the text, where the model counted it. */
  readonly tokens?: number | undefined
}

/** A plain function, so that any SDK fits. It rejects when it has no summary. */
export type Summarizer = (request: SummaryRequest) => Promise<Summary>
