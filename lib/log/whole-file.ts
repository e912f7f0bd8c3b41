// A file of any size that appears under its name whole or not at all: written beside it under a
// hidden name, synced, and only then named. Nothing that stands there is replaced unless asked for.

import { closeSync, constants, fsyncSync, linkSync, lstatSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { SessionError, toSessionError } from '../errors.js'
import { createFolder, createPrivateFile, syncFolder } from './open-file.js'
import { removeTemporary, temporaryPath } from './temporary-file.js'
import { writeWhole } from './write-whole.js'

export interface WholeFileOptions {
  /**
   * Also where something stands under the name.
   *
   * @default false
   */
  readonly replace?: boolean | undefined

  /**
   * Make its folder, for its owner alone, where it is missing.
   *
   * @default false
   */
  readonly makeFolder?: boolean | undefined

  /**
   * Write it although something stands under its name; to finish it is then refused, unless
   * `replace` is set.
   *
   * @default the value of `replace`
   */
  readonly mayExist?: boolean | undefined
}

export class WholeFile {
  readonly path: string
  /** Where its bytes are until it is finished. */
  readonly temporary: string
  /** To be written to and nothing else. */
  readonly fd: number
  #isOpen = true
  #size = 0

  readonly #isReplacing: boolean

  constructor(
    path: string,
    { replace = false, makeFolder = false, mayExist = replace }: WholeFileOptions = {},
  ) {
    this.path = path
    this.#isReplacing = replace
    this.temporary = temporaryPath(path)
    try {
      // Not what holds it, only what saves the work: somebody may still be quicker.
      if (!mayExist && this.isNameTaken) throw existsError(path)
      if (makeFolder) createFolder(dirname(path))
      this.fd = createPrivateFile(this.temporary, constants.O_WRONLY | constants.O_APPEND)
    } catch (cause) {
      throw toSessionError(cause, 'write', path)
    }
  }

  get isNameTaken(): boolean {
    return lstatSync(this.path, { throwIfNoEntry: false }) !== undefined
  }

  /** Bytes so far. */
  get size(): number {
    return this.#size
  }

  write(bytes: Buffer): void {
    try {
      writeWhole(this.fd, bytes)
      this.#size += bytes.length
    } catch (cause) {
      throw toSessionError(cause, 'write', this.path)
    }
  }

  /** Makes its bytes durable; nobody can see them yet. */
  seal(): void {
    if (!this.#isOpen) return
    try {
      fsyncSync(this.fd)
    } catch (cause) {
      throw toSessionError(cause, 'write', this.path)
    } finally {
      this.#close()
    }
  }

  /** Gives the file its name. */
  finish(): void {
    this.seal()
    try {
      // A link fails where a file is already; a rename would replace it.
      if (this.#isReplacing) renameSync(this.temporary, this.path)
      else linkSync(this.temporary, this.path)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw existsError(this.path)
      throw toSessionError(cause, 'write', this.path)
    } finally {
      this.abandon()
    }
    syncFolder(this.path)
  }

  /** Leaves no trace of a file that was not finished. Harmless afterwards. */
  abandon(): void {
    this.#close()
    removeTemporary(this.temporary)
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.fd)
    this.#isOpen = false
  }
}

const HELD_CHARS_MAX = 64 * 1024

/** All pieces of a text as one file, gathered on the way: a write for every line would be slow. */
export async function writeWholeFile(
  path: string,
  pieces: AsyncIterable<string>,
  options: WholeFileOptions = {},
): Promise<void> {
  const file = new WholeFile(path, options)
  try {
    let held = ''
    for await (const piece of pieces) {
      held += piece
      if (held.length < HELD_CHARS_MAX) continue
      file.write(Buffer.from(held))
      held = ''
    }
    file.write(Buffer.from(held))
    file.finish()
  } finally {
    file.abandon()
  }
}

function existsError(path: string): SessionError {
  return new SessionError('ERR_EXISTS', `${path} is there already`, { path })
}
