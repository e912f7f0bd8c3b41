// The door of the room that knows when to compact, where to cut, and where a summary comes from.
// It never talks to a model itself and touches no file: summarizers and checkpoints are given to it.

export type { SummaryFailure } from './ask-in-order.js'
export { Breaker } from './breaker.js'
export type { CheckpointSummary, FindCheckpoints } from './checkpoint-summary.js'
export type { Range } from './choose-range.js'
export { askFor, type ChosenSummary, chooseSummary, type SummaryChain } from './choose-summary.js'
export { clipEnd, clipMiddle } from './clip.js'
export {
  type Context,
  type ContextSource,
  contextOf,
  isSame,
  namingOf,
  type SeenEntry,
} from './context.js'
export { type ContextUsage, measure, type UsageOptions } from './context-usage.js'
export type { CountTokens } from './count-tokens.js'
export { compactionInstructions, type InstructionOptions } from './instructions.js'
export { type CompactionPlan, findPlan, type PlanOptions, planCompaction } from './plan.js'
export {
  type CompactionPolicy,
  type CompactionSettings,
  policySettings,
  shouldCompact,
  tokenLimit,
} from './policy.js'
export { type RenderOptions, renderForSummary } from './render.js'
export { readStructured, type StructuredSummary } from './structured-summary.js'
export type { Summarizer, Summary, SummaryRequest } from './summarizer.js'
