// Files of a project as they were at an event of a session: the plan to restore them. Independent of
// the conversation, which may be rewound too, or not.

import { SessionError } from '../../errors.js'
import {
  chooseStates,
  type FileAction,
  type PlannedFile,
  planRestore,
  type RestoredFile,
  restoreFiles,
  type SavedFile,
  type SavedFiles,
  saveFiles,
  toRestoreAction,
} from '../../files/index.js'
import type { Diagnostic, PayloadByType } from '../../format/index.js'
import type { NewEvent, Receipt } from '../../log/index.js'
import {
  isUnreadable,
  listChapters,
  normalizeProject,
  readSessionInfo,
  type StoreContext,
} from '../../store/index.js'
import { transcriptOf } from '../storage.js'
import { loadFileCheckpoints, sessionIdsOf } from './file-checkpoints.js'

export interface SnapshotFilesOptions {
  /**
   * Larger files are recorded without their content.
   *
   * @default 16 MiB
   */
  maxFileBytes?: number | undefined
  /**
   * The folder that relative paths start from.
   *
   * @default the project of the session
   */
  projectRoot?: string | undefined
}

/** The files that were saved at one moment. */
export interface FileSnapshot {
  readonly uuid: string
  /** Of the manifest. */
  readonly hash: string
  readonly files: SavedFiles['files']
}

export interface FileRewindOptions {
  /** A message: the files as they were then. Or a file checkpoint: the files that it saved. */
  to: string
  /**
   * The folder to restore into, for example of a project that moved. Without it, only files that
   * were saved inside the project of this session are restored, where they were.
   *
   * @default the folder in which the files were saved
   */
  projectRoot?: string | undefined
}

/** Describes a rewind of files; nothing is changed yet. */
export interface FileRewindPlan {
  readonly sessionId: string
  readonly targetUuid: string
  readonly projectRoot: string
  /** Only those that differ from their saved state. */
  readonly files: readonly PlannedFile[]
  readonly unchanged: number
  readonly diagnostics: readonly Diagnostic[]
}

export interface ApplyFileRewindOptions {
  /**
   * Also replace files whose present content no checkpoint holds; it is saved first.
   *
   * @default false
   */
  overwrite?: boolean | undefined
  /**
   * Also delete files that did not exist then, if their present content is saved.
   *
   * @default false
   */
  delete?: boolean | undefined
}

/** The files that were restored, or would be. */
export interface FileRewindResult {
  readonly files: readonly RestoredFile[]
  /** The files of the plan that were not touched. */
  readonly left: readonly PlannedFile[]
  /** The file checkpoint that restores what was replaced; `null` when nothing was. */
  readonly undoUuid: string | null
}

/** Plans the rewind of the files of a stored session. Reads only. */
export async function planFileRewind(
  store: StoreContext,
  session: string,
  options: FileRewindOptions,
): Promise<FileRewindPlan> {
  return planFrom(store, transcriptOf(store, session), options)
}

/** `path`: the transcript of the session. */
export async function planFrom(
  store: StoreContext,
  path: string,
  { to, projectRoot }: FileRewindOptions,
): Promise<FileRewindPlan> {
  const within = projectRoot === undefined ? findProjectOf(store, path) : undefined
  const found = await loadFileCheckpoints(store, path, { to, within })
  const { sessionIds, diagnostics } = found
  const sessionId = sessionIds[0]!
  const root = projectRoot ?? found.projectRoot
  if (root === undefined) {
    const what = `No file was saved in session "${sessionId}"; session.snapshotFiles saves files`
    throw new SessionError('ERR_NOT_FOUND', what, { sessionId })
  }
  const states = chooseStates(found.checkpoints)
  const plan = planRestore(store, states, { projectRoot: root, sessionIds })
  return { sessionId, targetUuid: to, ...plan, diagnostics }
}

/** Of the session that restores, whatever its file checkpoints or its parents say. */
function findProjectOf(store: StoreContext, path: string): string {
  const info = readSessionInfo(store, path)
  const project = isUnreadable(info) ? null : (info.projectNormalized ?? info.project)
  return normalizeProject(store, project ?? store.env.host.cwd())
}

/** Whether a rewind touches a file of a plan. Content that no checkpoint holds is never deleted. */
export function isRestoreAllowed(file: PlannedFile, allowed: ApplyFileRewindOptions): boolean {
  const always: readonly FileAction[] = ['create', 'change']
  if (always.includes(file.action)) return true
  if (file.action === 'delete') return allowed.delete === true
  return file.action === 'conflict' && file.sha256 !== null && allowed.overwrite === true
}

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
  /** Of the newest manifest that this process stored. */
  hash: string | null = null
  /** The hash of the newest checkpoint for the next session when that manifest was stored. */
  textHashThen: string | null = null

  constructor(store: StoreContext, parts: SessionFilesParts) {
    this.#store = store
    this.#parts = parts
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
    const sessionIds = sessionIdsOf(listChapters(this.#store, path))
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
    this.hash = hash
    this.textHashThen = textHash()
    return { uuid, hash, files }
  }

  #refuseInMemory(): void {
    if (this.#parts.isPersistent) return
    const what = 'Files cannot be saved for a session in memory (persist: false)'
    throw new SessionError('ERR_ARG', what)
  }
}
