// A file of any size that appears under its name whole or not at all: written beside it under a
// hidden name, synced, and only then named. An existing file is replaced only on request.

import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Environment, FileSystem } from '../../environment/index.js'
import { SessionError, toSessionError } from '../../errors.js'
import { createFolder, createPrivateFile, syncFolder } from './open-file.js'

export interface AtomicFileOptions {
  /**
   * Replace an existing file.
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
   * Write it although its name is taken; `finish` then fails, unless
   * `replace` is set.
   *
   * @default the value of `replace`
   */
  readonly mayExist?: boolean | undefined
}

export class AtomicFile {
  readonly path: string
  /** Where its bytes are until it is finished. */
  readonly temporary: string
  /** To be written to and nothing else. */
  readonly fd: number
  #isOpen = true
  #size = 0

  readonly #isReplacing: boolean
  readonly #env: Environment

  constructor(
    path: string,
    env: Environment,
    { replace = false, makeFolder = false, mayExist = replace }: AtomicFileOptions = {},
  ) {
    this.#env = env
    this.path = path
    this.#isReplacing = replace
    this.temporary = temporaryPath(path, env)
    try {
      // Only saves the work: another process may still be quicker, and `finish` decides.
      if (!mayExist && this.isNameTaken) throw existsError(path)
      if (makeFolder) createFolder(dirname(path), env)
      this.fd = createPrivateFile(this.temporary, constants.O_WRONLY | constants.O_APPEND, env)
    } catch (cause) {
      throw toSessionError(cause, 'write', path)
    }
  }

  get isNameTaken(): boolean {
    return this.#env.fs.lstatSync(this.path, { throwIfNoEntry: false }) !== undefined
  }

  /** Bytes so far. */
  get size(): number {
    return this.#size
  }

  write(bytes: Buffer): void {
    try {
      writeFully(this.fd, bytes, this.#env.fs)
      this.#size += bytes.length
    } catch (cause) {
      throw toSessionError(cause, 'write', this.path)
    }
  }

  /** Makes its bytes durable; they are not visible yet. */
  seal(): void {
    if (!this.#isOpen) return
    try {
      this.#env.fs.fsyncSync(this.fd)
    } catch (cause) {
      throw toSessionError(cause, 'write', this.path)
    } finally {
      this.#close()
    }
  }

  /** Gives the file its name. */
  finish(): void {
    this.seal()
    const { fs } = this.#env
    try {
      // A link fails where a file is already; a rename would replace it.
      if (this.#isReplacing) fs.renameSync(this.temporary, this.path)
      else fs.linkSync(this.temporary, this.path)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw existsError(this.path)
      throw toSessionError(cause, 'write', this.path)
    } finally {
      this.abandon()
    }
    syncFolder(this.path, this.#env)
  }

  /** Leaves no trace of a file that was not finished. Harmless afterwards. */
  abandon(): void {
    this.#close()
    removeTemporary(this.temporary, this.#env)
  }

  #close(): void {
    if (this.#isOpen) this.#env.fs.closeSync(this.fd)
    this.#isOpen = false
  }
}

const HELD_CHARS_MAX = 64 * 1024

/** All pieces of a text as one file, gathered on the way: a write for every line would be slow. */
export async function writeAtomicFile(
  path: string,
  pieces: AsyncIterable<string> | Iterable<string>,
  env: Environment,
  options: AtomicFileOptions = {},
): Promise<void> {
  const file = new AtomicFile(path, env, options)
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
  return new SessionError('ERR_EXISTS', `${path} already exists`, { path })
}

// Files that take their real name when they are whole. A process that dies before leaves a hidden one.

const ENDING = '.tmp'

/** In the same folder, so that it can be renamed. */
export function temporaryPath(path: string, env: Environment): string {
  return join(dirname(path), `.${basename(path)}.${env.newToken()}${ENDING}`)
}

export function isTemporaryOf(path: string, name: string): boolean {
  return name.startsWith(`.${basename(path)}.`) && name.endsWith(ENDING)
}

/** Never throws: the file is hidden, and a failing disk has reported worse already. */
export function removeTemporary(path: string, { fs }: Environment): void {
  try {
    fs.rmSync(path, { force: true })
  } catch {
    // It stays behind, hidden.
  }
}

// All of the bytes, however many pieces the disk takes them in. Not for logs: a line is one write.

export function writeFully(fd: number, bytes: Buffer, fs: FileSystem): void {
  for (let done = 0; done < bytes.length; ) {
    done += fs.writeSync(fd, bytes, done, bytes.length - done)
  }
}
