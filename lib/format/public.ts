// `jsonl-session/format`: what one line means, for programs that read or write logs by themselves.
// What our own modules need besides is in `index.ts`.

export { type ChecksumState, checkChecksum } from './checksum.js'
export { type DecodeOptions, decodeLine, type LinePart } from './decode.js'
export { DIAGNOSTIC_SEVERITY, type Diagnostic, type DiagnosticCode } from './diagnostic.js'
export type {
  BlockInput,
  ContentInput,
  EventOf,
  EventType,
  PayloadInput,
  PayloadOf,
  SessionEvent,
  UsageInput,
} from './event.js'
export {
  FORMAT_VERSION,
  NESTING_MAX,
  READ_LINE_BYTES_MAX,
  UNKNOWN_TIME,
  UUID_CHARS_MAX,
  WRITE_LINE_BYTES_MAX,
} from './limits.js'
export { fileNameOf, normalizeSessionKey } from './names.js'
export { type Channel, isOnChain, isSyncPoint, RECORD_TYPES } from './record-types.js'
export type { PayloadByType } from './schemas.js'
