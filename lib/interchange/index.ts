// Entry point of the module that knows the formats of other programs and our own exports: foreign
// records in, our events out; a session in, lines, Markdown or text out. Pure.

export { type Detection, detectFormat, REFUSALS, type Refusal } from './detect-format.js'
export {
  type ExportChannel,
  type ExportedEvent,
  type ExportFacts,
  type ExportItem,
  type ExportItems,
  type ExportView,
  itemsWithinDepth,
  redactFacts,
  redactItems,
} from './export/items.js'
export type { PageOptions } from './export/shown.js'
export { plainText } from './import/content.js'
export { DamagedParents } from './import/damaged-parents.js'
export { type DecodedLine, decodeForeign, type ForeignLine } from './import/decode-foreign.js'
export {
  type Continuation,
  type Counts,
  DROP_REASONS,
  type DropReason,
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
  type ImportedEvent,
  type ImportedTask,
  type Importer,
  type ImportRun,
  type ImportSink,
  Losses,
  REPAIR_REASONS,
  type RecalledEvent,
  type RecordPlace,
  type RepairReason,
  type SiblingRule,
  type SourceFacts,
  type SourceFile,
  type SurveyedRecord,
  type TaskEnding,
  type TranscriptFolder,
} from './import/importer.js'
export { LateParents } from './import/late-parents.js'
export { findImporter, IMPORTERS } from './known-importers.js'
export { toMarkdown } from './markdown/markdown.js'
export { ExportReader, type ExportStep, isOwnExport } from './own-export/importer.js'
export { type ExportLine, toLines } from './own-export/lines.js'
export {
  type AnthropicBlock,
  type AnthropicConversation,
  type AnthropicImage,
  type AnthropicMessage,
  type AnthropicText,
  toAnthropic,
} from './providers/anthropic.js'
export {
  type OpenAIChatMessage,
  type OpenAIChatPart,
  type OpenAIInputItem,
  type OpenAIInputPart,
  type OpenAIToolCall,
  type ToOpenAIOptions,
  toOpenAI,
} from './providers/open-ai.js'
export { toText } from './text/text.js'
