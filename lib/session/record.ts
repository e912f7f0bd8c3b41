// A second entry point, for hooks: events that a harness reports from another process. It does not
// load the session class.

export { recordBeforeCompaction, recordCompaction } from './compaction/record-compaction.js'
export type { Message } from './follow/message-key.js'
export {
  type SessionStartRequest,
  type SessionStartResponse,
  startHarnessSession,
} from './harness/session-start.js'
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
