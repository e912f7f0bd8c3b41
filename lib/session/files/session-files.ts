// The project files of one living session: saved before they are changed, and restored.

import { SessionError } from '../../errors.js'
import {
  type PlannedFile,
  restoreFiles,
  type SavedFile,
  saveFiles,
  toRestoreAction,
} from '../../files/index.js'
import type { PayloadByType } from '../../format/index.js'
import type { NewEvent, Receipt } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'
import { readLineage } from './file-checkpoints.js'
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
  readonly isPersistent: boolean
  readonly tip: () => string | null
  /** Writes the lines that this tick has gathered. */
  readonly flush: () => void
  /** The hash of the newest checkpoint for the next session. */
  readonly textHash: () => string | null
  readonly append: (event: NewEvent<'file_checkpoint'>) => Promise<Receipt>
}

interface SaveOptions {
  readonly projectRoot: string
  readonly maxFileBytes?: number | undefined
  readonly reason?: string
  readonly seen?: ReadonlyMap<string, SavedFile>
}

export class SessionFiles {
  readonly #store: StoreContext
  readonly #parts: SessionFilesParts
  #hash: string | null = null
  #textHashThen: string | null = null

  constructor(store: StoreContext, parts: SessionFilesParts) {
    this.#store = store
    this.#parts = parts
  }

  /** Of the newest manifest that this process stored. */
  get hash(): string | null {
    return this.#hash
  }

  /** The hash of the newest checkpoint for the next session when that manifest was stored. */
  get textHashThen(): string | null {
    return this.#textHashThen
  }

  async snapshot(
    paths: readonly string[],
    { maxFileBytes, projectRoot }: SnapshotFilesOptions = {},
  ): Promise<FileSnapshot> {
    const root = projectRoot ?? this.#parts.project ?? this.#store.env.host.cwd()
    return this.#save(paths, { projectRoot: root, maxFileBytes })
  }

  plan(options: FileRewindOptions): Promise<FileRewindPlan> {
    this.#refuseInMemory()
    this.#parts.flush()
    return planFrom(this.#store, this.#parts.path, options)
  }

  /** Saves what it is about to change, records that in the transcript, and only then changes it. */
  async apply(
    { files, projectRoot }: FileRewindPlan,
    allowed: ApplyFileRewindOptions = {},
  ): Promise<FileRewindResult> {
    const due: PlannedFile[] = []
    const left: PlannedFile[] = []
    for (const file of files) (isRestoreAllowed(file, allowed) ? due : left).push(file)
    if (due.length === 0) return { files: [], left, undoUuid: null }
    const seen = new Map(due.flatMap(({ path, now }) => (now ? [[path, now] as const] : [])))
    const saved = await this.#save(
      due.map((file) => file.path),
      { projectRoot, maxFileBytes: Number.MAX_SAFE_INTEGER, reason: 'rewind', seen },
    )
    const skipped = new Map(saved.files.map((file) => [file.path, file.skipped]))
    const { sessionId, path } = this.#parts
    const { sessionIds } = readLineage(this.#store, path)
    const restored = restoreFiles(
      this.#store,
      due.filter((file) => skipped.get(file.path) === undefined),
      { projectRoot, sessionId, sessionIds },
    )
    const unsaved = due.flatMap((file) => {
      const why = skipped.get(file.path)
      if (why === undefined) return []
      const failure = `it could not be saved first: ${why}`
      return [{ path: file.path, action: toRestoreAction(file), failure }]
    })
    return { files: [...restored, ...unsaved], left, undoUuid: saved.uuid }
  }

  async #save(
    paths: readonly string[],
    { reason, ...options }: SaveOptions,
  ): Promise<FileSnapshot> {
    this.#refuseInMemory()
    const { sessionId, append, flush, tip, textHash } = this.#parts
    flush()
    const at_uuid = tip()
    const saved = await saveFiles(this.#store, paths, { ...options, sessionId })
    const { hash, project_root } = saved
    const files = [...saved.files]
    const payload: PayloadByType['file_checkpoint'] = { hash, files, at_uuid, project_root }
    const { uuid } = await append({
      type: 'file_checkpoint',
      payload: reason === undefined ? payload : { ...payload, reason },
    })
    this.#hash = hash
    this.#textHashThen = textHash()
    return { uuid, hash, files }
  }

  #refuseInMemory(): void {
    if (this.#parts.isPersistent) return
    const what = 'Files cannot be saved for a session in memory (persist: false)'
    throw new SessionError('ERR_ARG', what)
  }
}
