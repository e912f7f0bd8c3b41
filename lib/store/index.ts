// The door of the room that knows the folders.

export {
  type FindNewestOptions,
  findNewestSession,
  type ListSessionsOptions,
  listSessions,
} from './catalog.js'
export type { ListOptions, SessionList } from './catalog-select.js'
export { findEvent } from './find-event.js'
export { type Layout, layoutOf, type StoreOptions } from './layout.js'
export { LiveCatalog, type Refreshed, type WatchOptions } from './live-catalog.js'
export { type LoadedSession, type LoadOptions, loadSession } from './load-session.js'
export { normalizeProject } from './project.js'
export {
  digestTranscript,
  isSkipped,
  type SessionDigest,
  type SessionKind,
  type SessionStatus,
  type Skipped,
} from './session-digest.js'
export { readSpool, type Spooled, spoolEvent } from './spool.js'
export { findTranscript, listTranscripts } from './transcripts.js'
export { type VerifyReport, verifyLog } from './verify.js'
