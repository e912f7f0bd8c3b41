// A second door, for rooms of this library and for nobody else: what runs in the middle of a
// write, sees lines before they are decoded, or leaves some out.

export { appendDecided, appendOnceSync } from './append-once.js'
export type { ByteRange } from './copy-log.js'
export { checkBefore, parseCursor } from './cursor.js'
export { holdEvents } from './distant-event.js'
export { readFullySync } from './fill-lines.js'
export { Follower } from './follower.js'
export type { Line } from './line-source.js'
export { endOfLines, lineStartBefore } from './newlines.js'
export { createFolder, createPrivateFile, kindOf, syncFolder } from './open-file.js'
export {
  type OpenLog,
  type OpenLogWithStats,
  openForReading,
  statIfThere,
} from './open-for-reading.js'
export { readDistant } from './read-distant.js'
export { replaceLog } from './replace-log.js'
export { type LineFinder, searchBuffer, searchLines } from './search-lines.js'
export { type WalkedLine, walkLines } from './walk-lines.js'
export { writeWhole } from './write-whole.js'
