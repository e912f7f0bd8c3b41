// Files of a project as they were at a moment of a session: what was saved, and how it comes back.
// Independent of the conversation, which may be rewound too, or not.

import { SessionError } from '../errors.js'
import {
  actionOf,
  chooseStates,
  type FileAction,
  type PlannedFile,
  planRestore,
  projectAt,
  type RestoredFile,
  restoreFiles,
  type SavedFile,
  type SavedFiles,
  saveFiles,
} from '../files/index.js'
import type { Diagnostic, PayloadByType } from '../format/index.js'
import type { NewEvent, Receipt } from '../log/index.js'
import { type Layout, layoutOf, lineageOf, type StoreOptions } from '../store/index.js'
import { readFileCheckpoints, sessionIdsOf } from './file-checkpoints.js'
import { transcriptOf } from './storage.js'

export interface SnapshotFilesOptions {
  /** Larger files are named and not kept. @default 16 MiB */
  maxFileBytes?: number | undefined
  /** @default the project of the session */
  projectRoot?: string | undefined
}

export interface FileSnapshot {
  readonly uuid: string
  /** Of the manifest. */
  readonly hash: string
  readonly files: SavedFiles['files']
}

export interface FileRewindOptions {
  /** A message: files as they were then. Or a file checkpoint: as it found them. */
  to: string
  /** @default where the files lay when they were saved */
  projectRoot?: string | undefined
}

/** Nothing of it was done yet. */
export interface FileRewindPlan {
  readonly session_id: string
  readonly target_uuid: string
  readonly projectRoot: string
  /** Only those that are not as they were. */
  readonly files: readonly PlannedFile[]
  readonly unchanged: number
  readonly diagnostics: readonly Diagnostic[]
}

export interface ApplyFileRewindOptions {
  /** Also replace files whose present content no checkpoint keeps; it is saved first. */
  overwrite?: boolean | undefined
  /** Also remove files that were not there then, if what they are now is kept. */
  delete?: boolean | undefined
}

export interface FileRewindResult {
  readonly files: readonly RestoredFile[]
  /** What was left alone, and why. */
  readonly left: readonly PlannedFile[]
  /** The file checkpoint that brings back what was replaced; `null` when nothing was. */
  readonly undo_uuid: string | null
}

/** Reads only: for those who want to see it first. */
export async function planFileRewind(
  session: string,
  { to, projectRoot, ...store }: FileRewindOptions & StoreOptions,
): Promise<FileRewindPlan> {
  return planFrom(transcriptOf(session, store), { to, projectRoot }, layoutOf(store))
}

async function planFrom(
  path: string,
  { to, projectRoot }: FileRewindOptions,
  layout: Layout,
): Promise<FileRewindPlan> {
  const found = await readFileCheckpoints(path, to, layout)
  const { session_id } = lineageOf(path)
  const root = projectRoot ?? found.projectRoot
  if (root === undefined) {
    const what = `No file was saved in session "${session_id}" (session.snapshotFiles does that)`
    throw new SessionError('ERR_NOT_FOUND', what, { session_id })
  }
  const plan = planRestore(chooseStates(found.checkpoints), {
    project: projectAt(root, layout),
    folders: found.sessionIds.map((id) => layout.fileHistoryOf(id)),
  })
  return { session_id, target_uuid: to, ...plan, diagnostics: found.diagnostics }
}

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

/** The files beside one living session. */
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
    const due = plan.files.filter((file) => isRestoreAllowed(file, allowed))
    const left = plan.files.filter((file) => !due.includes(file))
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

/** Whether a file of a plan would be touched. What nobody keeps is never removed. */
export function isRestoreAllowed(file: PlannedFile, allowed: ApplyFileRewindOptions): boolean {
  const always: readonly FileAction[] = ['create', 'change']
  if (always.includes(file.action)) return true
  if (file.action === 'delete') return allowed.delete === true
  return file.action === 'conflict' && file.sha256 !== null && allowed.overwrite === true
}

function unsavedFile(file: PlannedFile, why: string): RestoredFile {
  return { path: file.path, action: actionOf(file), failure: `it could not be saved first: ${why}` }
}
