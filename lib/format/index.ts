// Entry point of the module that defines what a line means. Pure: no files, no clock, no ids. Beyond
// what the package exports, it has what our modules use.

export { CHECKSUM_BYTES, hasChecksumDigits, hasChecksumShape } from './checksum.js'
export { decodePrefix, decodeVerified } from './decode.js'
export { diagnostic } from './diagnostic.js'
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
export { LINE_PREFIX_BYTES, NEWLINE } from './limits.js'
export { encodeName } from './names.js'
export { findPayloadProblem } from './payload-checks.js'
export { PAYLOAD_SHAPES } from './payload-shapes.js'
export {
  assertNoPermissionState,
  findPermissionState,
  isPermissionKey,
  isPermissionType,
  withoutPermissionState,
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
export * from './plain-text.js'
export * from './public.js'
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
  EXPORT_TYPES,
  EXPORT_VERSION,
  EXPORTED_REASONS,
  exportedReason,
  hasChain,
  isHeaderType,
  isOnChainType,
  isOwnEvent,
  isTypeName,
  MESSAGE_TYPES,
} from './record-types.js'
export { follows, type Link, linkOf, type PlacedLink, TipRule, type TipVerdict } from './tip.js'
