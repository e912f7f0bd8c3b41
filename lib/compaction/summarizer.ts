// What a summarizer is. One is always given to us; this room never talks to a model itself.

import type { Message } from '../chain/index.js'

export interface SummaryRequest {
  /** What the summary will stand for, in its order; mended as for a model. */
  readonly messages: readonly Message[]
  /** The summary that stood before these messages; it is to be part of the new one. */
  readonly previousSummary: string | undefined
  /** What the summary aims at. */
  readonly maxTokens: number
  /** Aborted when the time is up, or when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** What the summary should tell: `compactionInstructions()`, or the host's own. */
  readonly instructions: string
  /** How much a summarizer should give its model to read; the newest messages matter most. */
  readonly maxInputTokens?: number | undefined
}

export interface Summary {
  readonly text: string
  /** The same as data. `StructuredSummary` is what the built-in summarizers give. */
  readonly structured?: unknown
  /** Recorded beside the summary, so that a reader can tell who wrote it. */
  readonly model?: string | undefined
  /** How long the text is, where the model counted it. */
  readonly tokens?: number | undefined
}

/** A plain function, so that any SDK fits. It rejects when it has no summary to give. */
export type Summarizer = (request: SummaryRequest) => Promise<Summary>
