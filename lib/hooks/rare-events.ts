// The events of which a session has few, and which need more of the library than the others.

export { onPostCompact, onPreCompact } from './events/compaction.js'
export { onSessionEnd } from './events/session-end.js'
export { onSessionStart } from './events/session-start.js'
export { onSubagentStart, onSubagentStop } from './events/subagents.js'
