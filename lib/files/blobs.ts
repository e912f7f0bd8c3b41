// Contents of files by their hash: one folder per session, each content once. A blob appears
// whole or not at all, and is on the disk before anything names it.

import {
  close,
  closeSync,
  constants,
  fsync,
  lstatSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs'
import { join, sep } from 'node:path'
import { promisify } from 'node:util'
import { toSessionError } from '../errors.js'
import { newUuid, writeAtomically } from '../log/index.js'
import { createFolder, createPrivateFile, syncFolder, writeWhole } from '../log/inside.js'
import { readBytes } from './file-state.js'
import { sha256Of } from './manifest.js'

const FILES_AT_ONCE = 64

const synced = promisify(fsync)
const closed = promisify(close)

export type BlobContent =
  /** Good until the next file is looked at. */
  { readonly content: Buffer } | { readonly problem: 'blob_missing' | 'blob_damaged' }

interface Staged {
  readonly fd: number
  readonly temporary: string
  readonly path: string
}

/** Where new contents go. Call `settle` before anything names them. */
export class BlobWriter {
  readonly #folder: string
  readonly #added = new Set<string>()
  #staged: Staged[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  async add(sha256: string, content: Buffer): Promise<void> {
    if (this.has(sha256, content.length)) return
    const path = join(this.#folder, sha256)
    const temporary = join(this.#folder, `.${sha256}.${newUuid()}.tmp`)
    try {
      if (this.#added.size === 0) createFolder(this.#folder)
      const fd = createPrivateFile(temporary, constants.O_WRONLY)
      this.#staged.push({ fd, temporary, path })
      writeWhole(fd, content)
    } catch (cause) {
      this.discard()
      throw toSessionError(cause, 'save a file in', this.#folder)
    }
    this.#added.add(sha256)
    if (this.#staged.length >= FILES_AT_ONCE) await this.#flush()
  }

  /** Everything added is on the disk under its name, and `text` beside it as a file of this name. */
  async settle(name: string, text: string): Promise<void> {
    await this.#flush()
    createFolder(this.#folder)
    const path = join(this.#folder, name)
    // Syncs the folder, too.
    if (this.#statsOf(name) === undefined) writeAtomically(path, text)
    else syncFolder(path)
  }

  discard(): void {
    for (const { fd, temporary } of this.#staged.splice(0)) {
      closeSync(fd)
      rmSync(temporary, { force: true })
    }
  }

  /** One whose size is wrong was cut off by a full disk or a hand, and is written anew. */
  has(sha256: string, bytes: number): boolean {
    return this.#added.has(sha256) || this.#statsOf(sha256)?.size === bytes
  }

  #statsOf(name: string): Stats | undefined {
    try {
      return lstatSync(this.#folder + sep + name, { throwIfNoEntry: false })
    } catch (cause) {
      throw toSessionError(cause, 'look into', this.#folder)
    }
  }

  // Together, because a disk that is asked for many syncs at once makes few of them.
  async #flush(): Promise<void> {
    const staged = this.#staged.splice(0)
    const outcomes = await Promise.allSettled(staged.map(({ fd }) => synced(fd)))
    await Promise.all(staged.map(({ fd }) => closed(fd)))
    const failed = outcomes.find(({ status }) => status === 'rejected')
    if (failed !== undefined) {
      for (const { temporary } of staged) rmSync(temporary, { force: true })
      throw toSessionError((failed as PromiseRejectedResult).reason, 'save files in', this.#folder)
    }
    for (const { temporary, path } of staged) renameSync(temporary, path)
  }
}

/** Contents are looked for in all these folders: a fork shares them with its source. */
export class BlobReader {
  readonly #folders: readonly string[]

  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /** Whether one of that name and size is there; whether it is whole, `read` tells. */
  has(sha256: string, bytes: number | undefined): boolean {
    return this.#folders.some((folder) => {
      const stats = lstatSync(folder + sep + sha256, { throwIfNoEntry: false })
      return stats?.isFile() === true && (bytes === undefined || stats.size === bytes)
    })
  }

  read(sha256: string, bytes: number | undefined): BlobContent {
    let problem: 'blob_missing' | 'blob_damaged' = 'blob_missing'
    for (const folder of this.#folders) {
      const content = readBytes(folder + sep + sha256, bytes)
      if (content === undefined) continue
      // It tells whether all of it is there, too.
      if (sha256Of(content) === sha256) return { content }
      problem = 'blob_damaged'
    }
    return { problem }
  }
}
