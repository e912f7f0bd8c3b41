// The bytes of one open log: how many there are, whether the last line is finished, and that the
// file is still the one that was opened. It adds bytes and never takes any away.

import fs from 'node:fs'
import { SessionError, toSessionError } from '../errors.js'
import { NEWLINE } from '../format/index.js'
import type { Disk } from './environment.js'

export class LogFile {
  readonly path: string
  readonly fd: number
  readonly #disk: Disk
  readonly #ino: number
  #size: number
  #isTailTorn: boolean

  constructor(path: string, fd: number, disk: Disk) {
    this.path = path
    this.fd = fd
    this.#disk = disk
    const { ino, size } = this.#ask(() => fs.fstatSync(fd))
    this.#ino = ino
    this.#size = size
    this.#isTailTorn = this.#endsInsideLine()
  }

  /** Bytes this writer knows of. */
  get size(): number {
    return this.#size
  }

  /** The last byte is no newline, so the next line must begin with one. */
  get isTailTorn(): boolean {
    return this.#isTailTorn
  }

  /** Bytes on the disk now, which is more than `size` if somebody else wrote. */
  sizeOnDisk(): number {
    const found = this.#ask(() => this.#disk.statSync(this.path))
    if (found === undefined || found.nlink === 0) throw this.#replacedError('is gone')
    if (found.ino !== this.#ino) throw this.#replacedError('is another file now')
    if (found.size < this.#size) {
      throw this.#replacedError(`has ${found.size} bytes and had ${this.#size}`)
    }
    return found.size
  }

  /** Takes over what others added. */
  accept(size: number): void {
    this.#size = size
    this.#isTailTorn = this.#endsInsideLine()
  }

  /**
   * One write of whole lines. Afterwards they are all there, or it throws; then a fragment may
   * stay behind, which `sizeOnDisk` shows. It is not cut off: that would need a working disk,
   * and the next line isolates it.
   */
  write(bytes: Buffer, start = 0, end = bytes.length): void {
    const wanted = end - start
    let written = 0
    try {
      written = this.#disk.writeSync(this.fd, bytes, start, wanted)
      // A short count is no error yet (full disk, quota); the rest tells which one it is.
      if (written < wanted) {
        written += this.#disk.writeSync(this.fd, bytes, start + written, wanted - written)
      }
    } catch (cause) {
      throw toSessionError(cause, 'append to', this.path)
    }
    if (written < wanted) {
      throw new SessionError(
        'ERR_APPEND_PARTIAL',
        `Only ${written} of ${wanted} bytes could be appended to ${this.path}`,
        { path: this.path, written, wanted },
      )
    }
    this.#size += written
    this.#isTailTorn = false
  }

  #endsInsideLine(): boolean {
    if (this.#size === 0) return false
    const last = Buffer.allocUnsafe(1)
    this.#ask(() => fs.readSync(this.fd, last, 0, 1, this.#size - 1))
    return last[0] !== NEWLINE
  }

  #ask<Result>(look: () => Result): Result {
    try {
      return look()
    } catch (cause) {
      throw toSessionError(cause, 'look at', this.path)
    }
  }

  #replacedError(what: string): SessionError {
    return new SessionError('ERR_FILE_REPLACED', `${this.path} ${what}`, { path: this.path })
  }
}
