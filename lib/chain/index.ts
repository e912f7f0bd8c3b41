// Entry point of the module that knows what events mean together. Pure: no files, no clock.

export {
  type Block,
  blocksOf,
  type ShownImage,
  type ShownResult,
  searchedText,
} from './blocks.js'
export { BranchBackward } from './branch-backward.js'
export { LiveProjection, type LiveProjectionOptions, Revisions } from './fold.js'
export {
  findInterruptions,
  type Interruption,
  type InterruptionKind,
  type InterruptionOptions,
  type Interruptions,
} from './interruption.js'
export { type Part, partsOf, wordsOf } from './message-parts.js'
export {
  type AnyMessage,
  type Message,
  type MessageOf,
  type Messages,
  type MessagesOptions,
  type MessageType,
  messagesOf,
} from './messages.js'
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
export {
  pairTools,
  type ToolCall,
  type ToolPairs,
  type ToolResult,
} from './tool-pairs.js'
export { pathsIn } from './tool-paths.js'
export { assertToolPolicy, NO_RESULT, type ToolPolicy, toolPolicyOf } from './tool-repair.js'
export { type Branch, type LogTree, type TreeBoundary, type TreeRewind, treeOf } from './tree.js'
export { type TurnPart, Turns } from './turns.js'
export { type Walk, type WalkOptions, walkChain } from './walk.js'
