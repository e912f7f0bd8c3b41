// Files of a project as they were at an event of a session: the plan to restore them. Independent of
// the conversation, which may be rewound too, or not.

import { SessionError } from '../../errors.js'
import {
  chooseStates,
  type FileAction,
  type PlannedFile,
  planRestore,
  type RestoredFile,
  type SavedFiles,
} from '../../files/index.js'
import type { Diagnostic } from '../../format/index.js'
import { readLineage, type StoreContext } from '../../store/index.js'
import { transcriptOf } from '../storage.js'
import { loadFileCheckpoints } from './file-checkpoints.js'

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
   * The folder that relative paths start from.
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
  const found = await loadFileCheckpoints(store, path, to)
  const { sessionId } = readLineage(store, path)
  const root = projectRoot ?? found.projectRoot
  if (root === undefined) {
    const what = `No file was saved in session "${sessionId}"; session.snapshotFiles saves files`
    throw new SessionError('ERR_NOT_FOUND', what, { sessionId })
  }
  const { sessionIds, diagnostics } = found
  const states = chooseStates(found.checkpoints)
  const plan = planRestore(store, states, { projectRoot: root, sessionIds })
  return { sessionId, targetUuid: to, ...plan, diagnostics }
}

/** Whether a rewind touches a file of a plan. Content that no checkpoint holds is never deleted. */
export function isRestoreAllowed(file: PlannedFile, allowed: ApplyFileRewindOptions): boolean {
  const always: readonly FileAction[] = ['create', 'change']
  if (always.includes(file.action)) return true
  if (file.action === 'delete') return allowed.delete === true
  return file.action === 'conflict' && file.sha256 !== null && allowed.overwrite === true
}
