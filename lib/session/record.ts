// A second entry point, for hooks: events that a harness reports from another process. It does not
// load the session class.

export { recordBeforeCompaction, recordCompaction } from './compaction/record-compaction.js'
export type { Message } from './follow/message-key.js'
export {
  announceCompaction,
  completeCompaction,
} from './harness/compaction.js'
export {
  recordReply,
  submitPrompt,
} from './harness/prompt-submit.js'
export { type RecallResponse, recallFor } from './harness/recall.js'
export {
  extractFor,
  rememberFor,
} from './harness/remember.js'
export { endHarnessSession } from './harness/session-end.js'
export { startHarnessSession } from './harness/session-start.js'
export {
  drainSpool,
  type HookEvent,
  type HookRecordOptions,
  isUpToDate,
  recordEvent,
  recordPrompt,
  recordSessionEnd,
} from './record/hook-events.js'
export {
  type HookSubagent,
  recordInSidechain,
  recordSpawn,
  recordSubagentResult,
} from './record/subagent.js'
