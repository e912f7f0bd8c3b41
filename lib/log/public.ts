// `jsonl-session/log`: one JSONL file, written under a lock and read without one. It knows nothing of
// sessions. What our own modules need besides is in `index.ts` and `internal.ts`.

export type { DamageEntry, EventEntry, LogEntry, TornEntry } from './entry.js'
export {
  type FollowEntry,
  type FollowOptions,
  followLog,
  type ReplacedEntry,
} from './follow/follow.js'
export { inspectLock, type LockMode, type LockState, type OwnerRecord } from './lock/inspect.js'
export { hasKernelLock } from './lock/kernel-lock.js'
export type { ProcessIdentity, ProcessState } from './lock/process-identity.js'
export type { LogHandle, Receipt } from './log-handle.js'
export { type MemoryLog, openMemoryLog } from './memory-log.js'
export type { Durability, LogObserver, LogOptions } from './options.js'
export type { Line } from './read/forward-lines.js'
export {
  type ReadBackwardOptions,
  type ReadLogOptions,
  readLog,
  readLogBackward,
  readLogBackwardSync,
  readLogSync,
} from './read/read-log.js'
export { indexUuids, type ScannedLine, type ScanOptions, scanLog } from './read/scan.js'
export type { UuidIndex } from './uuid-index.js'
export { type AppendOnceOptions, appendOnce } from './write/append-once.js'
export type {
  NewEvent,
  PayloadRedaction,
  PendingWrite,
  TrailingEvent,
} from './write/prepared-event.js'
export { type LogWriter, openLog } from './write/writer.js'
