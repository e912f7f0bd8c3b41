// A second entry point, for hooks: the conversation of a transcript that its client is still writing.
// It does not load the other formats.

export {
  type ClaudeConversation,
  type ClaudeMessage,
  isClaudeTranscript,
  QUEUED,
  readClaudeContinuation,
  readClaudeConversation,
  readSubagentLines,
} from './claude-code/conversation.js'
export { plainText } from './import/content.js'
export type { ForeignRecord, ForeignValue } from './import/importer.js'
