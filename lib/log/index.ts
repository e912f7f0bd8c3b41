// Entry point of the module that handles one JSONL file: bytes and lines, written under a lock, read
// without one. It knows no sessions. Beyond what the package exports, it has what our modules use.

export { AtomicFile, type AtomicFileOptions, writeAtomicFile } from './files/atomic-file.js'
export { type CopyRequest, copyLog, isPrefixOf } from './files/copy-log.js'
export { type WriteSmallFileOptions, writeSmallFileAtomic } from './files/write-small-file.js'
export {
  identifyParent,
  judgeProcess,
  ownIdentity,
  parentIdentity,
  parseIdentity,
} from './lock/process-identity.js'
export { MEMORY_SCHEME, MemoryLog } from './memory-log.js'
export * from './public.js'
export { isUnverified } from './read/decode-entry.js'
export { type OpenLog, type OpenLogWithStats, openIfThere } from './read/open-for-reading.js'
export { countNewlines } from './read/scan.js'
export { UuidIndex } from './uuid-index.js'
export { flushOnExit } from './write/flush-on-exit.js'
export { type LockedLog, type LockedLogOptions, withLockedLog } from './write/locked-log.js'
export { LogWriter } from './write/writer.js'
