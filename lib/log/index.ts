// The door of the room that knows one JSONL file: bytes and lines, written under a lock, read
// without one. It knows no sessions.

export { type AppendOnceOptions, appendOnce } from './append-once.js'
export { type CopyRequest, copyLog } from './copy-log.js'
export { isUnverified } from './decode-entry.js'
export type { NewEvent, PayloadRedaction } from './draft.js'
export type { Durability } from './durability.js'
export type { DamageEntry, EventEntry, LogEntry, TornEntry } from './entry.js'
export { type Disk, type Environment, systemEnvironment } from './environment.js'
export { writeOnExit } from './exit.js'
export { type FollowEntry, type FollowOptions, followLog, type ReplacedEntry } from './follow.js'
export type { Line } from './line-source.js'
export { inspectLock, type LockState } from './lock/inspect.js'
export { hasKernelLock } from './lock/kernel-lock.js'
export type { LockMode, OwnerRecord } from './lock/owner-record.js'
export {
  judgeProcess,
  ownIdentity,
  type ProcessIdentity,
  type ProcessState,
  parentIdentity,
  parseIdentity,
} from './lock/process-identity.js'
export { type LockedLog, type LockedLogOptions, withLockedLog } from './locked-log.js'
export type { LogHandle } from './log-handle.js'
export { MEMORY_SCHEME, MemoryLog, openMemoryLog } from './memory-log.js'
export { type OpenLog, type OpenLogWithStats, openIfThere } from './open-for-reading.js'
export type { LogObserver, LogOptions } from './options.js'
export { type ReadBackwardOptions, readLogBackward, readLogBackwardSync } from './read-backward.js'
export { readLog } from './read-log.js'
export { readLogSync } from './read-log-sync.js'
export type { ReadLogOptions } from './reading.js'
export type { Receipt } from './receipt.js'
export { isBeginningOf } from './same-bytes.js'
export { countNewlines, indexUuids, type ScanOptions, scanLog } from './scan.js'
export type { ScannedLine } from './scanned-line.js'
export type { PendingWrite, Trailer } from './trailer.js'
export { UuidIndex } from './uuid-index.js'
export { newUuid } from './uuid-pool.js'
export { WholeFile, type WholeFileOptions, writeWholeFile } from './whole-file.js'
export { type WriteAtomicallyOptions, writeAtomically } from './write-atomically.js'
export { LogWriter, openLog } from './writer.js'
