// Files of a project as they were at a moment of a session: what was saved, and how it comes back.
// Independent of the conversation, which may be rewound too, or not.

import { SessionError } from '../errors.js'
import {
  chooseStates,
  type FileAction,
  type PlannedFile,
  planRestore,
  projectAt,
  type RestoredFile,
  type SavedFiles,
} from '../files/index.js'
import type { Diagnostic } from '../format/index.js'
import { type Layout, layoutOf, lineageOf, type StoreOptions } from '../store/index.js'
import { loadFileCheckpoints } from './file-checkpoints.js'
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

export async function planFrom(
  path: string,
  { to, projectRoot }: FileRewindOptions,
  layout: Layout,
): Promise<FileRewindPlan> {
  const found = await loadFileCheckpoints(path, to, layout)
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

/** Whether a file of a plan would be touched. What nobody keeps is never removed. */
export function isRestoreAllowed(file: PlannedFile, allowed: ApplyFileRewindOptions): boolean {
  const always: readonly FileAction[] = ['create', 'change']
  if (always.includes(file.action)) return true
  if (file.action === 'delete') return allowed.delete === true
  return file.action === 'conflict' && file.sha256 !== null && allowed.overwrite === true
}
