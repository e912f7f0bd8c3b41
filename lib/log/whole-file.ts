// A file of any size that appears under its name whole or not at all: written beside it under a
// hidden name, synced, and only then named. Nothing that stands there is replaced unless asked for.

import { closeSync, constants, fsyncSync, linkSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SessionError, toSessionError } from '../errors.js'
import { createPrivateFile, syncFolder } from './open-file.js'
import { newUuid } from './uuid-pool.js'
import { writeWhole } from './write-whole.js'

export class WholeFile {
  readonly path: string
  /** Where its bytes are until it is finished. */
  readonly temporary: string
  /** To be written to and nothing else. */
  readonly fd: number
  #isOpen = true

  /** Its folder must be there. */
  constructor(path: string) {
    this.path = path
    this.temporary = join(dirname(path), `.${basename(path)}.${newUuid()}.tmp`)
    try {
      this.fd = createPrivateFile(this.temporary, constants.O_WRONLY | constants.O_APPEND)
    } catch (cause) {
      throw toSessionError(cause, 'write', path)
    }
  }

  write(bytes: Buffer): void {
    try {
      writeWhole(this.fd, bytes)
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

  /** Gives the file its name. `replace`: also where something stands under it. */
  finish({ replace = false }: { replace?: boolean | undefined } = {}): void {
    this.seal()
    try {
      // A link fails where a file is already; a rename would replace it.
      if (replace) renameSync(this.temporary, this.path)
      else linkSync(this.temporary, this.path)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') {
        throw new SessionError('ERR_EXISTS', `${this.path} is there already`, { path: this.path })
      }
      throw toSessionError(cause, 'write', this.path)
    } finally {
      this.abandon()
    }
    syncFolder(this.path)
  }

  /** Leaves no trace of a file that was not finished. Harmless afterwards. */
  abandon(): void {
    this.#close()
    rmSync(this.temporary, { force: true })
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.fd)
    this.#isOpen = false
  }
}
