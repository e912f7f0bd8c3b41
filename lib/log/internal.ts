// A second entry point, for modules of this library only: what runs in the middle of a
// write, sees lines before they are decoded, or leaves some out.

export { cursorAt, parseCursor } from './cursor.js'
export { writeFully } from './files/atomic-file.js'
export type { ByteRange } from './files/copy-log.js'
export { createFolder, createPrivateFile, kindOf, syncFolder } from './files/open-file.js'
export { Follower } from './follow/follower.js'
export { FolderChanges, FolderWatcher } from './follow/watch-folder.js'
export { callListener, reportListenerError, toReporter } from './listeners.js'
export { findLease } from './lock/inspect.js'
export type { Line } from './read/forward-lines.js'
export { materialize, readOffsets } from './read/offset-event.js'
export {
  type OpenLog,
  openForReading,
  readFullySync,
  statIfThere,
} from './read/open-for-reading.js'
export {
  type LineFinder,
  prefilteredLines,
  searchBuffer,
} from './read/prefiltered-lines.js'
export { type UndecodedLine, undecodedLines } from './read/read-log.js'
export { endOfLines, lineStartBefore } from './read/scan.js'
export { appendDecided, appendGuarded, appendOnceSync } from './write/append-once.js'
export { encodeEvents } from './write/encode-events.js'
export { findTipAtEnd } from './write/find-tip.js'
export { findRefusal } from './write/prepared-event.js'
export { replaceLog } from './write/replace-log.js'
export { syncLog } from './write/sync-group.js'
