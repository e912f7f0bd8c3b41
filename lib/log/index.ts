// Entry point of the module that handles one JSONL file: bytes and lines, written under a lock, read
// without one. It knows no sessions.

export type { DamageEntry, EventEntry, LogEntry, TornEntry } from './entry.js'
export { AtomicFile, type AtomicFileOptions, writeAtomicFile } from './files/atomic-file.js'
export { type CopyRequest, copyLog, isPrefixOf } from './files/copy-log.js'
export { type WriteSmallFileOptions, writeSmallFileAtomic } from './files/write-small-file.js'
export {
  type FollowEntry,
  type FollowOptions,
  followLog,
  type ReplacedEntry,
} from './follow/follow.js'
export { inspectLock, type LockMode, type LockState, type OwnerRecord } from './lock/inspect.js'
export { hasKernelLock } from './lock/kernel-lock.js'
export {
  identifyParent,
  judgeProcess,
  ownIdentity,
  type ProcessIdentity,
  type ProcessState,
  parentIdentity,
  parseIdentity,
} from './lock/process-identity.js'
export type { LogHandle, Receipt } from './log-handle.js'
export { MEMORY_SCHEME, MemoryLog, openMemoryLog } from './memory-log.js'
export type { Durability, LogObserver, LogOptions } from './options.js'
export { isUnverified } from './read/decode-entry.js'
export type { Line } from './read/forward-lines.js'
export { type OpenLog, type OpenLogWithStats, openIfThere } from './read/open-for-reading.js'
export {
  type ReadBackwardOptions,
  type ReadLogOptions,
  readLog,
  readLogBackward,
  readLogBackwardSync,
  readLogSync,
} from './read/read-log.js'
export type { ScannedLine } from './read/scan.js'
export { countNewlines, indexUuids, type ScanOptions, scanLog } from './read/scan.js'
export { UuidIndex } from './uuid-index.js'
export { type AppendOnceOptions, appendOnce } from './write/append-once.js'
export { flushOnExit } from './write/flush-on-exit.js'
export { type LockedLog, type LockedLogOptions, withLockedLog } from './write/locked-log.js'
export type {
  NewEvent,
  PayloadRedaction,
  PendingWrite,
  TrailingEvent,
} from './write/prepared-event.js'
export { LogWriter, openLog } from './write/writer.js'
