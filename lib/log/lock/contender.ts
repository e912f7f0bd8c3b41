// One caller on its way to the lock. Between attempts it keeps the descriptor and, once it has
// it, the kernel lock: it then stands first in the queue, and only advisory holders are before it.

import { closeSync, fstatSync, lstatSync } from 'node:fs'
import { SessionError, toSessionError } from '../../errors.js'
import { type OpenedLog, openLogFile } from '../open-file.js'
import { type HeldParts, releaseParts } from './held-lock.js'
import { tryKernelLock } from './kernel-lock.js'
import { clearOwnerRecord, type LockMode, writeOwnerRecord } from './owner-record.js'
import { type PortableLock, tryPortableLock } from './portable-lock.js'

// A file may be rotated away while we lock it; more often than this in one attempt is no rotation.
const REOPENINGS_MAX = 8

export interface ContenderOptions {
  readonly mode: LockMode
  readonly useKernelLock?: boolean | undefined
}

export class Contender {
  readonly #path: string
  readonly #options: ContenderOptions
  #log: OpenedLog | undefined
  #isKernel = false

  /** The path is canonical. */
  constructor(path: string, options: ContenderOptions) {
    this.#path = path
    this.#options = options
  }

  /** One synchronous attempt at all locks; `undefined` when somebody else has one of them. */
  attempt(): HeldParts | undefined {
    try {
      return this.#attempt()
    } catch (error) {
      this.giveUp()
      throw toSessionError(error, 'lock', this.#path)
    }
  }

  /** Closes what is kept between attempts; the kernel lock goes with its descriptor. */
  giveUp(): void {
    const fd = this.#log?.fd
    this.#log = undefined
    this.#isKernel = false
    if (fd !== undefined) closeSync(fd)
  }

  #attempt(): HeldParts | undefined {
    const path = this.#path
    for (let opened = 0; opened < REOPENINGS_MAX; opened++) {
      this.#log ??= openLogFile(path)
      const { fd, wasCreated } = this.#log
      if (!this.#lockKernel(fd)) return undefined
      if (this.#isCurrent(fd)) {
        const isKernel = this.#isKernel
        const holdsKernelLock = () => isKernel && this.#isCurrent(fd)
        const portable = tryPortableLock({ path, isKernel, holdsKernelLock })
        if (portable === undefined) return undefined
        const hasRecord = this.#needsRecord(portable)
        const parts = { path, fd, wasCreated, isKernel, hasRecord, portable }
        const outcome = this.#confirm(parts)
        if (outcome === 'ours') return this.#handOver(parts)
        if (outcome === 'lost') return undefined
      }
      this.giveUp()
    }
    throw new SessionError('ERR_FILE_REPLACED', `${path} is replaced again and again`, { path })
  }

  #lockKernel(fd: number): boolean {
    if (this.#isKernel || this.#options.useKernelLock === false) return true
    const result = tryKernelLock(fd)
    this.#isKernel = result === 'locked'
    return result !== 'busy'
  }

  // A lock on a file that the path no longer names guards nothing.
  #isCurrent(fd: number): boolean {
    const there = lstatSync(this.#path, { bigint: true, throwIfNoEntry: false })
    const ours = fstatSync(fd, { bigint: true })
    return there?.ino === ours.ino && there.dev === ours.dev
  }

  // A short lock under the kernel lock needs none: the mode of its directory says enough.
  #needsRecord({ directory }: PortableLock): boolean {
    return this.#options.mode === 'lease' || !this.#isKernel || !directory.isMarked
  }

  // `lost`: without the kernel lock we may have slept so long before the record was written that
  // our directory was taken for a dead one's. `moved`: the file was rotated away under us.
  #confirm(parts: HeldParts): 'ours' | 'lost' | 'moved' {
    const { path, fd, isKernel, hasRecord, portable } = parts
    try {
      const dir = portable.directory.identity
      if (hasRecord) writeOwnerRecord(path, { kernel: isKernel, mode: this.#options.mode, dir })
      else clearOwnerRecord(path)
      const isLost = !isKernel && !portable.isOurs()
      if (!isLost && this.#isCurrent(fd)) return 'ours'
      this.#withdraw(parts)
      return isLost ? 'lost' : 'moved'
    } catch (error) {
      this.#withdraw(parts)
      throw error
    }
  }

  #handOver(parts: HeldParts): HeldParts {
    this.#log = undefined
    this.#isKernel = false
    return parts
  }

  #withdraw(parts: HeldParts): void {
    this.#handOver(parts)
    releaseParts(parts)
  }
}
