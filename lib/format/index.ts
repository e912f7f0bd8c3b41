// Entry point of the module that defines what a line means. Pure: no files, no clock, no ids.

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
  decodeVerified,
  type LinePart,
} from './decode.js'

export {
  DIAGNOSTIC_SEVERITY,
  type Diagnostic,
  type DiagnosticCode,
  diagnostic,
} from './diagnostic.js'
export {
  assertTime,
  assertUuid,
  escapeSeparators,
  LineEncoder,
  type LineParts,
  measureLine,
  quoteUuid,
  spellText,
} from './encode.js'
export type { EventOf, EventType, PayloadOf, SessionEvent } from './event.js'
export { EXPORT_TYPES, EXPORT_VERSION, EXPORTED_REASONS, exportedReason } from './export-marks.js'
export * from './limits.js'
export { encodeName, fileNameOf, normalizeSessionKey } from './names.js'
export {
  assertNoPermissionKeys,
  assertNoPermissionType,
  isPermissionKey,
} from './permission-guard.js'
export {
  isPlainObject,
  NEVER_WRITTEN,
  shownJson,
  stringifyPayload,
  tolerantJson,
  withinDepth,
  withoutUndefined,
} from './plain-json.js'
export {
  clip,
  clipBytes,
  clipEnd,
  clipLines,
  clipMiddle,
  oneLine,
  shorten,
  toPlainLines,
  toPlainText,
} from './plain-text.js'
export {
  type Envelope,
  EnvelopeOffsets,
  findOwnLine,
  hasType,
  ownSpellingTest,
  payloadOffset,
  readEnvelope,
  readType,
} from './recognise.js'
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
