// A small file that is there whole, old or new, whenever somebody looks. Not for logs.
//
// write-file-atomic does it, except for two things: it takes a short write for a whole one, and
// leaves the new name in the folder to chance. So the bytes are written and checked here, before it
// gives them their name, and the folder is synced after.

import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { SessionError, toSessionError } from '../errors.js'
import { FILE_MODE, syncFolder } from './open-file.js'
import { writeWhole } from './write-whole.js'

const require = createRequire(import.meta.url)

export interface WriteAtomicallyOptions {
  /**
   * A new file is for everybody whom the umask lets.
   *
   * @default false: for its owner
   */
  isShared?: boolean | undefined
}

/**
 * Its folder must be there. A link is kept, and its target replaced; so are the mode and the owner
 * of a file. A process that dies meanwhile leaves at most a file of another name behind.
 */
export function writeAtomically(
  path: string,
  text: string,
  { isShared = false }: WriteAtomicallyOptions = {},
): void {
  const bytes = Buffer.from(text)
  try {
    const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined
    // Loaded for this only, so that no other command pays for it. Its types speak of `export =`.
    const { sync } = require('write-file-atomic') as typeof import('write-file-atomic')
    // Made anew for every call: it writes the mode it found into them.
    sync(path, '', {
      ...(!isThere && !isShared && { mode: FILE_MODE }),
      tmpfileCreated: (temporary: string) => fill(temporary, bytes),
    })
    if (!holds(path, bytes)) {
      throw new SessionError('ERR_IO', `${path} was written by somebody else at this moment`, {
        path,
      })
    }
  } catch (cause) {
    throw toSessionError(cause, 'write', path)
  }
  syncFolder(path)
}

/** It opened the file already, writes nothing more itself, and syncs it. */
function fill(path: string, bytes: Buffer): void {
  const fd = openSync(path, constants.O_WRONLY)
  try {
    writeWhole(fd, bytes)
  } finally {
    closeSync(fd)
  }
}

function holds(path: string, bytes: Buffer): boolean {
  const fd = openSync(path, constants.O_RDONLY)
  try {
    const found = Buffer.alloc(bytes.length + 1)
    let length = 0
    for (let read = -1; read !== 0; length += read)
      read = readSync(fd, found, length, found.length - length, null)
    return found.subarray(0, length).equals(bytes)
  } finally {
    closeSync(fd)
  }
}
