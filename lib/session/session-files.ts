// The files beside one living session: saved before they are changed, and brought back.

import { SessionError } from '../errors.js'
import {
  actionOf,
  type PlannedFile,
  projectAt,
  type RestoredFile,
  restoreFiles,
  type SavedFile,
  saveFiles,
} from '../files/index.js'
import type { Diagnostic, PayloadByType } from '../format/index.js'
import type { NewEvent, Receipt } from '../log/index.js'
import type { Layout } from '../store/index.js'
import { sessionIdsOf } from './file-checkpoints.js'
import {
  type ApplyFileRewindOptions,
  type FileRewindOptions,
  type FileRewindPlan,
  type FileRewindResult,
  type FileSnapshot,
  isRestoreAllowed,
  planFrom,
  type SnapshotFilesOptions,
} from './file-rewind.js'

export interface SessionFilesParts {
  readonly sessionId: string
  readonly path: string
  readonly project: string | undefined
  readonly layout: Layout
  readonly isPersistent: boolean
  readonly tip: () => string | null
  /** Writes what this tick has gathered. */
  readonly flush: () => void
  /** Of the newest checkpoint for the next session. */
  readonly textHash: () => string | null
  readonly append: (event: NewEvent<'file_checkpoint'>) => Promise<Receipt>
  readonly report: (diagnostic: Diagnostic) => void
}

export class SessionFiles {
  readonly #parts: SessionFilesParts
  #hash: string | null = null
  #textHashThen: string | null = null

  constructor(parts: SessionFilesParts) {
    this.#parts = parts
  }

  /** Of the newest manifest that this process stored. */
  get hash(): string | null {
    return this.#hash
  }

  /** What the newest checkpoint of the other kind was when that one was stored. */
  get textHashThen(): string | null {
    return this.#textHashThen
  }

  async snapshot(
    paths: readonly string[],
    { maxFileBytes, projectRoot }: SnapshotFilesOptions = {},
  ): Promise<FileSnapshot> {
    const { project = process.cwd() } = this.#parts
    return this.#save(paths, { root: projectRoot ?? project, maxFileBytes })
  }

  plan(options: FileRewindOptions): Promise<FileRewindPlan> {
    this.#refuseInMemory()
    this.#parts.flush()
    return planFrom(this.#parts.path, options, this.#parts.layout)
  }

  /** Saves what it is about to change, says so in the transcript, and only then changes it. */
  async apply(
    plan: FileRewindPlan,
    allowed: ApplyFileRewindOptions = {},
  ): Promise<FileRewindResult> {
    const { sessionId, layout, report } = this.#parts
    const due: PlannedFile[] = []
    const left: PlannedFile[] = []
    for (const file of plan.files) (isRestoreAllowed(file, allowed) ? due : left).push(file)
    if (due.length === 0) return { files: [], left, undo_uuid: null }
    const seen = new Map(due.flatMap(({ path, now }) => (now ? [[path, now] as const] : [])))
    const saved = await this.#save(
      due.map((file) => file.path),
      { root: plan.projectRoot, maxFileBytes: Number.MAX_SAFE_INTEGER, reason: 'rewind', seen },
    )
    const unsaved = new Map(saved.files.map((file) => [file.path, file.skipped]))
    const safe = due.filter((file) => unsaved.get(file.path) === undefined)
    const restored = restoreFiles(safe, {
      project: projectAt(plan.projectRoot, layout),
      folders: sessionIdsOf(this.#parts.path, layout).map((id) => layout.fileHistoryOf(id)),
      sessionId,
      report,
    })
    const lost = due.filter((file) => unsaved.get(file.path) !== undefined)
    const files = [...restored, ...lost.map((file) => unsavedFile(file, unsaved.get(file.path)!))]
    return { files, left, undo_uuid: saved.uuid }
  }

  async #save(
    paths: readonly string[],
    how: {
      readonly root: string
      readonly maxFileBytes?: number | undefined
      readonly reason?: string
      readonly seen?: ReadonlyMap<string, SavedFile>
    },
  ): Promise<FileSnapshot> {
    this.#refuseInMemory()
    const { sessionId, layout, report, append, tip } = this.#parts
    const project = projectAt(how.root, layout)
    const folder = layout.fileHistoryOf(sessionId)
    this.#parts.flush()
    const at_uuid = tip()
    const saved = await saveFiles(paths, {
      project,
      folder,
      maxFileBytes: how.maxFileBytes,
      seen: how.seen,
      report,
    })
    const { hash, project_root } = saved
    const files = [...saved.files]
    const payload: PayloadByType['file_checkpoint'] = { hash, files, at_uuid, project_root }
    const { uuid } = await append({
      type: 'file_checkpoint',
      payload: how.reason === undefined ? payload : { ...payload, reason: how.reason },
    })
    this.#hash = hash
    this.#textHashThen = this.#parts.textHash()
    return { uuid, hash, files }
  }

  #refuseInMemory(): void {
    if (this.#parts.isPersistent) return
    const what = 'Nothing of this session is written anywhere (persist: false), nor its files'
    throw new SessionError('ERR_ARG', what)
  }
}

function unsavedFile(file: PlannedFile, why: string): RestoredFile {
  return { path: file.path, action: actionOf(file), failure: `it could not be saved first: ${why}` }
}
