// A small file that is there whole, old or new, whenever somebody looks. Not for logs.

import { closeSync, constants, fsyncSync, renameSync } from 'node:fs'
import { toSessionError } from '../errors.js'
import { createPrivateFile, syncFolder } from './open-file.js'
import { removeTemporary, temporaryPath } from './temporary-file.js'
import { writeWhole } from './write-whole.js'

/** Its folder must be there. A process that dies meanwhile leaves at most a hidden file behind. */
export function writeAtomically(path: string, text: string): void {
  const temporary = temporaryPath(path)
  try {
    const fd = createPrivateFile(temporary, constants.O_WRONLY)
    try {
      writeWhole(fd, Buffer.from(text))
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (cause) {
    removeTemporary(temporary)
    throw toSessionError(cause, 'write', path)
  }
  syncFolder(path)
}
