// Contents of files, named by their hash: one folder per session, each content once. A blob appears
// whole or not at all, and is on the disk before anything refers to it.

import { constants } from 'node:fs'
import { join, sep } from 'node:path'
import { promisify } from 'node:util'
import type { FileSystem } from '../environment/index.js'
import { toReadError, toSessionError } from '../errors.js'
import { writeSmallFileAtomic } from '../log/index.js'
import { createFolder, createPrivateFile, syncFolder, writeFully } from '../log/internal.js'
import type { StoreContext } from '../store/index.js'
import { readBytes, sha256Of } from './file-state.js'

const OPEN_FILES_MAX = 64

export type BlobContent =
  /** Valid until the next file is read. */
  { readonly content: Buffer } | { readonly problem: 'blob_missing' | 'blob_damaged' }

interface Staged {
  readonly fd: number
  readonly temporary: string
  readonly path: string
}

/** Writes new contents. Call `commit` before anything refers to them. */
export class BlobWriter {
  readonly #store: StoreContext
  readonly #folder: string
  readonly #added = new Set<string>()
  #staged: Staged[] = []

  constructor(store: StoreContext, sessionId: string) {
    this.#store = store
    this.#folder = store.layout.fileHistoryOf(sessionId)
  }

  async add(sha256: string, content: Buffer): Promise<void> {
    if (this.has(sha256, content.length)) return
    const path = join(this.#folder, sha256)
    const temporary = join(this.#folder, `.${sha256}.${this.#store.env.newUuid()}.tmp`)
    try {
      if (this.#added.size === 0) createFolder(this.#folder, this.#store.env)
      const fd = createPrivateFile(temporary, constants.O_WRONLY, this.#store.env)
      this.#staged.push({ fd, temporary, path })
      writeFully(fd, content, this.#store.env.fs)
    } catch (cause) {
      this.discard()
      throw toSessionError(cause, 'save a file in', this.#folder)
    }
    this.#added.add(sha256)
    if (this.#staged.length >= OPEN_FILES_MAX) await this.#flush()
  }

  /** Makes everything added durable under its name, and `text` beside it as a file `name`. */
  async commit(name: string, text: string): Promise<void> {
    await this.#flush()
    createFolder(this.#folder, this.#store.env)
    const path = join(this.#folder, name)
    // Both sync the folder.
    if (this.#sizeOf(name) === undefined) writeSmallFileAtomic(path, text, this.#store.env)
    else syncFolder(path, this.#store.env)
  }

  discard(): void {
    const { fs } = this.#store.env
    for (const { fd, temporary } of this.#staged.splice(0)) {
      fs.closeSync(fd)
      fs.rmSync(temporary, { force: true })
    }
  }

  /** A blob of the wrong size was cut off by a full disk or by hand, and is written again. */
  has(sha256: string, bytes: number): boolean {
    return this.#added.has(sha256) || this.#sizeOf(sha256) === bytes
  }

  #sizeOf(name: string): number | undefined {
    try {
      return this.#store.env.fs.lstatSync(this.#folder + sep + name, { throwIfNoEntry: false })
        ?.size
    } catch (cause) {
      throw toSessionError(cause, 'look into', this.#folder)
    }
  }

  // Together, because a disk merges syncs that are requested at the same time.
  async #flush(): Promise<void> {
    const { fs } = this.#store.env
    const sync = promisify(fs.fdatasync)
    const staged = this.#staged.splice(0)
    const outcomes = await Promise.allSettled(staged.map(({ fd }) => sync(fd)))
    for (const { fd } of staged) fs.closeSync(fd)
    const failed = outcomes.find(({ status }) => status === 'rejected')
    if (failed !== undefined) {
      for (const { temporary } of staged) fs.rmSync(temporary, { force: true })
      throw toSessionError((failed as PromiseRejectedResult).reason, 'save files in', this.#folder)
    }
    for (const { temporary, path } of staged) fs.renameSync(temporary, path)
  }
}

/** Looks for contents in the folders of several sessions: a fork shares those of its source. */
export class BlobReader {
  readonly #fs: FileSystem
  readonly #folders: readonly string[]

  constructor({ env, layout }: StoreContext, sessionIds: readonly string[]) {
    this.#fs = env.fs
    this.#folders = sessionIds.map((id) => layout.fileHistoryOf(id))
  }

  /** Whether one of that name and size exists; only `read` verifies its content. */
  has(sha256: string, bytes: number | undefined): boolean {
    return this.#folders.some((folder) => {
      try {
        const stats = this.#fs.lstatSync(folder + sep + sha256, { throwIfNoEntry: false })
        return stats?.isFile() === true && (bytes === undefined || stats.size === bytes)
      } catch (cause) {
        throw toReadError(cause, 'look into', folder)
      }
    })
  }

  read(sha256: string, bytes: number | undefined): BlobContent {
    let problem: 'blob_missing' | 'blob_damaged' = 'blob_missing'
    for (const folder of this.#folders) {
      const content = readBytes(this.#fs, folder + sep + sha256, bytes)
      if (content === undefined) continue
      if (sha256Of(content) === sha256) return { content }
      problem = 'blob_damaged'
    }
    return { problem }
  }
}
