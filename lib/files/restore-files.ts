// Files become what they were, by a plan. Everything is prepared beside its place before the
// first file is replaced; each file is the old one or the new one, whenever this ends.

import { hash } from 'node:crypto'
import {
  closeSync,
  constants,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  unlinkSync,
} from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { toSessionError } from '../errors.js'
import { type Diagnostic, diagnostic } from '../format/index.js'
import { newUuid } from '../log/index.js'
import { createPrivateFile, writeWhole } from '../log/inside.js'
import { BlobReader } from './blobs.js'
import { markOf } from './file-state.js'
import type { PlannedFile } from './plan-restore.js'
import { PlaceCheck, type Project } from './project-path.js'

const FILE_MODE = 0o644

export interface RestoreOptions {
  readonly project: Project
  readonly folders: readonly string[]
  /** Whose restore it is: nobody else removes what it leaves when it is killed. */
  readonly sessionId: string
  readonly report: (diagnostic: Diagnostic) => void
}

export interface RestoredFile {
  readonly path: string
  readonly action: 'create' | 'change' | 'delete'
  /** Why it is as it was before; `undefined`: it was done. */
  readonly failure?: string | undefined
}

/** What is to be done; a conflict is only among them when it was allowed. */
export function restoreFiles(
  files: readonly PlannedFile[],
  options: RestoreOptions,
): RestoredFile[] {
  const restore = new Restore(options)
  try {
    for (const file of files) restore.prepare(file)
    return files.map((file) => restore.commit(file))
  } finally {
    restore.clear()
  }
}

/** What a restore does to a file; a conflict is decided by whether it existed then. */
export function actionOf({ action, sha256, mark }: PlannedFile): RestoredFile['action'] {
  if (sha256 === null) return 'delete'
  return action === 'create' || mark === undefined ? 'create' : 'change'
}

class Restore {
  readonly #blobs: BlobReader
  readonly #places: PlaceCheck
  readonly #report: (diagnostic: Diagnostic) => void
  readonly #prefix: string
  readonly #run = newUuid()
  readonly #prepared = new Map<string, string>()
  readonly #failures = new Map<string, string>()
  readonly #folders = new Set<string>()

  constructor({ project, folders, sessionId, report }: RestoreOptions) {
    this.#blobs = new BlobReader(folders)
    this.#places = new PlaceCheck(project)
    this.#report = report
    this.#prefix = `.jsonl-session-${hash('sha256', sessionId).slice(0, 16)}-`
  }

  /** Writes the content beside its place. A disk that is full ends it here, before any change. */
  prepare(file: PlannedFile): void {
    const { path, sha256, bytes } = file
    const refusal = this.#places.refusalOf(path)
    if (refusal !== undefined) this.#failures.set(path, refusal)
    if (refusal !== undefined || sha256 === null) return
    const blob = this.#blobs.read(sha256, bytes)
    if ('problem' in blob) {
      const what =
        blob.problem === 'blob_missing' ? 'its content is not kept any more' : 'its copy is damaged'
      this.#failures.set(path, what)
      this.#report(diagnostic(blob.problem, `${path} stays as it is: ${what}`, { file: path }))
      return
    }
    try {
      this.#prepared.set(path, this.#write(file, blob.content))
    } catch (cause) {
      const error = toSessionError(cause, 'write', this.#places.absoluteOf(path))
      if (error.code === 'ERR_NO_SPACE') throw error
      this.#failures.set(path, error.message)
    }
  }

  commit(file: PlannedFile): RestoredFile {
    const { path } = file
    const action = actionOf(file)
    const failure = this.#failures.get(path) ?? this.#replace(file)
    return { path, action, ...(failure !== undefined && { failure }) }
  }

  clear(): void {
    for (const temporary of this.#prepared.values()) rmSync(temporary, { force: true })
  }

  #replace({ path, mark }: PlannedFile): string | undefined {
    const absolute = this.#places.absoluteOf(path)
    try {
      // What was done to it since the plan is newer work as well.
      if (markOf(absolute) !== mark) return 'it changed while files were restored'
      const temporary = this.#prepared.get(path)
      if (temporary === undefined) unlinkSync(absolute)
      else renameSync(temporary, absolute)
      this.#prepared.delete(path)
      return undefined
    } catch (cause) {
      return toSessionError(cause, 'replace', absolute).message
    }
  }

  #write({ path, mode = FILE_MODE }: PlannedFile, content: Buffer): string {
    const folder = dirname(this.#places.absoluteOf(path))
    this.#enter(folder)
    const name = `${this.#prefix}${this.#run}-${this.#prepared.size}.tmp`
    const temporary = folder + sep + name
    const fd = createPrivateFile(temporary, constants.O_WRONLY, mode & 0o777)
    try {
      writeWhole(fd, content)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    } finally {
      closeSync(fd)
    }
    return temporary
  }

  /** Makes the folder, looks once more where it leads, and removes what a killed restore left. */
  #enter(folder: string): void {
    if (this.#folders.has(folder)) return
    mkdirSync(folder, { recursive: true })
    if (realpathSync.native(folder) !== folder) {
      throw Object.assign(new Error(`${folder} is a link`), { code: 'ELOOP' })
    }
    for (const name of readdirSync(folder)) {
      if (name.startsWith(this.#prefix)) rmSync(join(folder, name), { force: true })
    }
    this.#folders.add(folder)
  }
}
