// The door of the room that knows meaning: pure functions over events, no files, no clock.

export {
  findInterruptions,
  type Interruption,
  type InterruptionKind,
  type InterruptionOptions,
  type Interruptions,
} from './interruption.js'
export { LiveProjection, type LiveProjectionOptions } from './live-projection.js'
export type { Message } from './message.js'
export { type Part, partsOf } from './message-parts.js'
export { type Messages, type MessagesOptions, messagesOf } from './messages.js'
export {
  type LogProjection,
  offsetBaseOf,
  type ProjectLogOptions,
  project,
  projectLog,
} from './project.js'
export {
  EMPTY_START,
  type EventEntry,
  fieldsOf,
  type GapEntry,
  isGap,
  type LastBoundary,
  lostStart,
  opaqueStart,
  type PathEvent,
  type PlacedEvent,
  type Projection,
  type ProjectionEntry,
  type ProjectionStart,
  type SummaryEntry,
} from './projection.js'
export { Revisions } from './revisions.js'
export {
  pairTools,
  type ToolCall,
  type ToolPairs,
  type ToolResult,
} from './tool-pairs.js'
export { NO_RESULT, TOOL_POLICIES, type ToolPolicy, toolPolicyOf } from './tool-repair.js'
export { type Walk, type WalkOptions, walkChain } from './walk.js'
export { wordsOf } from './words.js'
