// A small file that is always whole, old or new. Not for logs.
//
// write-file-atomic does it, except for two things: it takes a short write for a whole one, and
// leaves the new name in the folder to chance. So the bytes are written and checked here, before it
// gives them their name, and the folder is synced after.

import { constants } from 'node:fs'
import type { Environment, FileSystem } from '../../environment/index.js'
import { SessionError, toSessionError } from '../../errors.js'
import { loadWriteFileAtomic } from '../packages.js'
import { writeFully } from './atomic-file.js'
import { FILE_MODE, syncFolder } from './open-file.js'

export interface WriteSmallFileOptions {
  /**
   * A new file gets the mode that the umask allows, not 0600.
   *
   * @default false: for its owner
   */
  isShared?: boolean | undefined
}

/**
 * Its folder must be there. A link is kept, and its target replaced; so are the mode and the owner
 * of a file. A process that dies meanwhile leaves at most a file of another name behind.
 */
export function writeSmallFileAtomic(
  path: string,
  text: string,
  env: Environment,
  { isShared = false }: WriteSmallFileOptions = {},
): void {
  const { fs } = env
  const bytes = Buffer.from(text)
  try {
    const isThere = fs.statSync(path, { throwIfNoEntry: false }) !== undefined
    const { sync } = loadWriteFileAtomic()
    // Made anew for every call: it writes the mode it found into them.
    sync(path, '', {
      ...(!isThere && !isShared && { mode: FILE_MODE }),
      tmpfileCreated: (temporary: string) => fill(temporary, bytes, fs),
    })
    if (!holds(path, bytes, fs)) {
      throw new SessionError('ERR_IO', `${path} was written by another process at this moment`, {
        path,
      })
    }
  } catch (cause) {
    throw toSessionError(cause, 'write', path)
  }
  syncFolder(path, env)
}

/** It opened the file already, writes nothing more itself, and syncs it. */
function fill(path: string, bytes: Buffer, fs: FileSystem): void {
  const fd = fs.openSync(path, constants.O_WRONLY)
  try {
    writeFully(fd, bytes, fs)
  } finally {
    fs.closeSync(fd)
  }
}

function holds(path: string, bytes: Buffer, fs: FileSystem): boolean {
  const fd = fs.openSync(path, constants.O_RDONLY)
  try {
    const found = Buffer.alloc(bytes.length + 1)
    let length = 0
    for (let read = -1; read !== 0; length += read)
      read = fs.readSync(fd, found, length, found.length - length, null)
    return found.subarray(0, length).equals(bytes)
  } finally {
    fs.closeSync(fd)
  }
}
