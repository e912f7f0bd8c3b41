// The door of the room that knows the transcripts of other programs, and our own exports: their
// records in, our events out. It opens no file and writes nothing.

export { plainText } from './content.js'
export { type DecodedLine, decodeForeign, type ForeignLine } from './decode-foreign.js'
export { type Detection, detectFormat, REFUSALS, type Refusal } from './detect-format.js'
export {
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
  REPAIR_REASONS,
  type RepairReason,
  type SourceFacts,
  type TaskEnding,
} from './importer.js'
export { findImporter, IMPORTERS } from './known-importers.js'
export { type Counts, Losses } from './losses.js'
export { isNativeExport, NativeImporter, type NativeStep } from './native.js'
