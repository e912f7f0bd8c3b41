// A second entry point, for hooks: events that a harness reports from another process. It does not
// load the session class.

export { recordBeforeCompaction, recordCompaction } from './compaction/record-compaction.js'
export {
  drainSpool,
  type HookEvent,
  type HookRecordOptions,
  recordEvent,
  recordPrompt,
  recordSessionEnd,
  recordSessionStart,
} from './record/hook-events.js'
export { readLogEnd } from './record/log-end.js'
export { type PendingRecovery, recoverOnce } from './record/recover-once.js'
export {
  type HookSubagent,
  recordInSidechain,
  recordSpawn,
  recordSubagentResult,
} from './record/subagent.js'
