// Restores files by a plan. Every content is written beside its target before the first file is
// replaced; each file is the old one or the new one, whenever the process ends.

import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { toSessionError } from '../errors.js'
import { diagnostic } from '../format/index.js'
import { createPrivateFile, writeFully } from '../log/internal.js'
import type { StoreContext } from '../store/index.js'
import { BlobReader } from './blobs.js'
import { readMark } from './file-state.js'
import type { PlannedFile } from './plan-restore.js'
import { Project } from './project-path.js'

const FILE_MODE = 0o644

export interface RestoreOptions {
  readonly projectRoot: string
  /** The session that restores: only its later restores remove what this one leaves when killed. */
  readonly sessionId: string
  /** The sessions whose folders may hold the contents. */
  readonly sessionIds: readonly string[]
}

export interface RestoredFile {
  readonly path: string
  readonly action: 'create' | 'change' | 'delete'
  /** Why the file is unchanged; `undefined` if it was restored. */
  readonly failure?: string | undefined
}

/** Of the conflicts of a plan, `files` holds only those that may be overwritten. */
export function restoreFiles(
  store: StoreContext,
  files: readonly PlannedFile[],
  options: RestoreOptions,
): RestoredFile[] {
  const restore = new Restore(store, options)
  try {
    for (const file of files) restore.prepare(file)
    return files.map((file) => restore.commit(file))
  } finally {
    restore.clear()
  }
}

/** What a restore does to a file; for a conflict it depends on whether the file existed then. */
export function toRestoreAction({ action, sha256, mark }: PlannedFile): RestoredFile['action'] {
  if (sha256 === null) return 'delete'
  return action === 'create' || mark === undefined ? 'create' : 'change'
}

class Restore {
  readonly #store: StoreContext
  readonly #blobs: BlobReader
  readonly #project: Project
  readonly #prefix: string
  readonly #run: string
  readonly #prepared = new Map<string, string>()
  readonly #failures = new Map<string, string>()
  readonly #folders = new Set<string>()

  constructor(store: StoreContext, { projectRoot, sessionIds, sessionId }: RestoreOptions) {
    this.#store = store
    this.#run = store.env.newUuid()
    this.#blobs = new BlobReader(store, sessionIds)
    this.#project = new Project(store, projectRoot)
    this.#prefix = `.jsonl-session-${hash('sha256', sessionId).slice(0, 16)}-`
  }

  /** Writes the content beside its target. A full disk throws here, before any change. */
  prepare(file: PlannedFile): void {
    const { path, sha256, bytes } = file
    const refusal = this.#project.findRefusal(path)
    if (refusal !== undefined) this.#failures.set(path, refusal)
    if (refusal !== undefined || sha256 === null) return
    const blob = this.#blobs.read(sha256, bytes)
    if ('problem' in blob) {
      const what =
        blob.problem === 'blob_missing' ? 'its content is no longer saved' : 'its copy is damaged'
      this.#failures.set(path, what)
      const message = `${path} is left unchanged: ${what}`
      this.#store.report(diagnostic(blob.problem, message, { file: path }))
      return
    }
    try {
      this.#prepared.set(path, this.#write(file, blob.content))
    } catch (cause) {
      const error = toSessionError(cause, 'write', this.#project.absoluteOf(path))
      if (error.code === 'ERR_NO_SPACE') throw error
      this.#failures.set(path, error.message)
    }
  }

  commit(file: PlannedFile): RestoredFile {
    const { path } = file
    const failure = this.#failures.get(path) ?? this.#replace(file)
    return { path, action: toRestoreAction(file), ...(failure !== undefined && { failure }) }
  }

  clear(): void {
    for (const temporary of this.#prepared.values()) {
      this.#store.env.fs.rmSync(temporary, { force: true })
    }
  }

  #replace({ path, mark }: PlannedFile): string | undefined {
    const { fs } = this.#store.env
    const absolute = this.#project.absoluteOf(path)
    try {
      // A change since the plan was made is newer work, too.
      if (readMark(fs, absolute) !== mark) return 'it changed while files were restored'
      const temporary = this.#prepared.get(path)
      if (temporary === undefined) fs.unlinkSync(absolute)
      else fs.renameSync(temporary, absolute)
      this.#prepared.delete(path)
      return undefined
    } catch (cause) {
      return toSessionError(cause, 'replace', absolute).message
    }
  }

  #write({ path, mode = FILE_MODE }: PlannedFile, content: Buffer): string {
    const { fs } = this.#store.env
    const folder = dirname(this.#project.absoluteOf(path))
    this.#enter(folder)
    const temporary = `${folder}${sep}${this.#prefix}${this.#run}-${this.#prepared.size}.tmp`
    const fd = createPrivateFile(temporary, constants.O_WRONLY, {
      fs,
      mode: mode & 0o777,
    })
    try {
      writeFully(fd, content, fs)
    } catch (error) {
      fs.rmSync(temporary, { force: true })
      throw error
    } finally {
      fs.closeSync(fd)
    }
    return temporary
  }

  /** Makes the folder, checks that it is not a link, and removes what a killed restore left. */
  #enter(folder: string): void {
    if (this.#folders.has(folder)) return
    const { fs } = this.#store.env
    fs.mkdirSync(folder, { recursive: true })
    if (fs.realpathSync.native(folder) !== folder) {
      throw Object.assign(new Error(`${folder} is a link`), { code: 'ELOOP' })
    }
    for (const name of fs.readdirSync(folder)) {
      if (name.startsWith(this.#prefix)) fs.rmSync(join(folder, name), { force: true })
    }
    this.#folders.add(folder)
  }
}
