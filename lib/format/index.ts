// The door of the room that knows what a line means. Pure: no files, no clock, no ids.

export type { CheckpointLabel } from './checkpoint-mould.js'
export { CheckpointPrefix } from './checkpoint-prefix.js'
export {
  CHECKSUM_BYTES,
  type ChecksumState,
  checkChecksum,
  hasChecksumDigits,
  hasChecksumShape,
} from './checksum.js'
export {
  type DecodeOptions,
  decodeLine,
  decodePrefix,
  decodeProven,
  type LinePart,
} from './decode.js'
export {
  DIAGNOSTIC_SEVERITY,
  type Diagnostic,
  type DiagnosticCode,
  diagnostic,
} from './diagnostic.js'
export {
  checkTime,
  checkUuid,
  escapeSeparators,
  LineEncoder,
  type LineParts,
  measureLine,
  quoteUuid,
  spellText,
} from './encode.js'
export { type Envelope, payloadOffset, readEnvelope } from './envelope.js'
export type { EventOf, EventType, PayloadOf, SessionEvent } from './event.js'
export { EXPORT_TYPES, EXPORT_VERSION } from './export-marks.js'
export * from './limits.js'
export { encodeName, fileNameOf, normalizeSessionKey } from './names.js'
export {
  isPermissionKey,
  refusePermissionKeys,
  refusePermissionType,
} from './permission-guard.js'
export {
  isPlainObject,
  NEVER_WRITTEN,
  shownJson,
  stringifyPayload,
  tolerantJson,
  withinDepth,
} from './plain-json.js'
export { toPlainLines, toPlainText } from './plain-text.js'
export {
  belongsTo,
  type Channel,
  hasChain,
  isHeaderType,
  isOnChain,
  isOnChainType,
  isOwnEvent,
  isSyncPoint,
  isTypeName,
  RECORD_TYPES,
} from './record-types.js'
export type { PayloadByType } from './schemas.js'
export { follows, type Link, linkOf, type PlacedLink, TipRule, type TipVerdict } from './tip.js'
