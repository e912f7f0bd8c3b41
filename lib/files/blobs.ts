// Contents of files by their hash: one folder per session, each content once. A blob appears
// whole or not at all, and is on the disk before anything names it.

import {
  close,
  closeSync,
  constants,
  fsync,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join, sep } from 'node:path'
import { promisify } from 'node:util'
import { toSessionError } from '../errors.js'
import { newUuid, writeAtomically } from '../log/index.js'
import { createFolder, createPrivateFile, syncFolder, writeWhole } from '../log/inside.js'
import { lookAtFile } from './file-state.js'
import { sha256Of } from './manifest.js'

const FILES_AT_ONCE = 64
const NAME = /^[0-9a-f]{64}$/

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
  readonly #known: Set<string>
  #staged: Staged[] = []

  constructor(folder: string) {
    this.#folder = folder
    this.#known = new Set(namesIn(folder))
  }

  async add(sha256: string, content: Buffer): Promise<void> {
    if (this.has(sha256, content.length)) return
    const path = join(this.#folder, sha256)
    const temporary = join(this.#folder, `.${sha256}.${newUuid()}.tmp`)
    try {
      createFolder(this.#folder)
      const fd = createPrivateFile(temporary, constants.O_WRONLY)
      this.#staged.push({ fd, temporary, path })
      writeWhole(fd, content)
    } catch (cause) {
      this.discard()
      throw toSessionError(cause, 'save a file in', this.#folder)
    }
    this.#known.add(sha256)
    if (this.#staged.length >= FILES_AT_ONCE) await this.#flush()
  }

  /** Everything added is on the disk under its name, and `text` beside it as a file of this name. */
  async settle(name: string, text: string): Promise<void> {
    await this.#flush()
    createFolder(this.#folder)
    // Syncs the folder, too.
    if (!this.#known.has(name)) writeAtomically(join(this.#folder, name), text)
    else syncFolder(join(this.#folder, name))
  }

  discard(): void {
    for (const { fd, temporary } of this.#staged.splice(0)) {
      closeSync(fd)
      rmSync(temporary, { force: true })
    }
  }

  /** One whose size is wrong was cut off by a full disk or a hand, and is written anew. */
  has(sha256: string, bytes: number): boolean {
    if (!this.#known.has(sha256)) return false
    if (this.#staged.some(({ path }) => path.endsWith(sha256))) return true
    return lstatSync(this.#folder + sep + sha256, { throwIfNoEntry: false })?.size === bytes
  }

  // Together, because a disk that is asked for many syncs at once makes few of them.
  async #flush(): Promise<void> {
    const staged = this.#staged.splice(0)
    const synced = await Promise.allSettled(staged.map(({ fd }) => promisify(fsync)(fd)))
    await Promise.all(staged.map(({ fd }) => promisify(close)(fd)))
    const failed = synced.find(({ status }) => status === 'rejected')
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

  read(sha256: string): BlobContent {
    let problem: 'blob_missing' | 'blob_damaged' = 'blob_missing'
    for (const folder of this.#folders) {
      const content = contentOf(folder + sep + sha256)
      if (content === undefined) continue
      if (sha256Of(content) === sha256) return { content }
      problem = 'blob_damaged'
    }
    return { problem }
  }
}

/** Its hash will tell whether it is whole. */
function contentOf(path: string): Buffer | undefined {
  const state = lookAtFile(path, Number.MAX_SAFE_INTEGER)
  if (state.kind === 'absent') return undefined
  return state.kind === 'file' ? state.content : Buffer.alloc(0)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name) || name.endsWith('.json'))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw toSessionError(cause, 'list', folder)
  }
}
