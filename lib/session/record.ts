// A second entry point, for hooks: events that a harness reports from another process. It does not
// load the session class.

export { recordBeforeCompaction, recordCompaction } from './compaction/record-compaction.js'
export type { Message } from './follow/message-key.js'
export {
  announceCompaction,
  type CompactionRequest,
  type CompactionResponse,
  completeCompaction,
  type PreCompactionRequest,
  type PreCompactionResponse,
} from './harness/compaction.js'
export {
  type PromptRequest,
  type PromptResponse,
  recordReply,
  submitPrompt,
} from './harness/prompt-submit.js'
export {
  type ExtractRequest,
  type ExtractResponse,
  extractFor,
  type RememberRequest,
  type RememberResponse,
  rememberFor,
} from './harness/remember.js'
export type { HarnessAnswer, HarnessRequest } from './harness/requests.js'
export {
  endHarnessSession,
  type SessionEndRequest,
  type SessionEndResponse,
} from './harness/session-end.js'
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
