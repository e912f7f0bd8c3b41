// Entry point of the module that decides when to compact, where to cut, and where a summary comes
// from. It calls no model and touches no file: summarizers and checkpoints are given to it.

export { Breaker, type SummaryFailure } from './ask.js'
export type { CheckpointSummary, FindCheckpoints } from './checkpoint-summary.js'
export type { Range } from './choose-range.js'
export { askFor, type ChosenSummary, chooseSummary, type SummaryChain } from './choose-summary.js'
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
export { type CompactionPlan, findPlan, type PlanOptions, planCompaction } from './plan.js'
export {
  type CompactionPolicy,
  type CompactionSettings,
  policySettings,
  shouldCompact,
  tokenLimit,
} from './policy.js'
export { type RenderOptions, renderForSummary } from './render.js'
export {
  compactionInstructions,
  type InstructionOptions,
  readStructured,
  type StructuredSummary,
  stringsOf,
  textOfStructured,
} from './structured-summary.js'
export type { Summarizer, Summary, SummaryRequest } from './summarizer.js'
