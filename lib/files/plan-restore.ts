// What has to happen to make files what they were. Reads only.

import type { StoreContext } from '../store/index.js'
import { BlobReader } from './blobs.js'
import { type FileState, readState, type SavedFile, sha256Of } from './file-state.js'
import { Project } from './project-path.js'
import { FILE_BYTES_MAX } from './save-files.js'

/** The files of one checkpoint. */
export interface DatedFiles {
  /** Recorded after the moment that is restored. */
  readonly isAfter: boolean
  readonly files: readonly SavedFile[]
}

export interface ChosenState {
  readonly wanted: SavedFile
  /** All saved contents of this file. */
  readonly known: ReadonlySet<string>
  /** The size of the largest of them. */
  readonly knownBytes: number
}

/**
 * - `create`: it is missing, and is restored
 * - `change`: it differs, and its present content is saved
 * - `delete`: it did not exist then, and its present content is saved
 * - `conflict`: its present content is saved nowhere: newer work
 * - `refused`: it cannot be restored, or nothing may be written there
 */
export type FileAction = 'create' | 'change' | 'delete' | 'conflict' | 'refused'

export interface PlannedFile {
  /** From the root of the project, with slashes. */
  readonly path: string
  readonly action: FileAction
  /** Why it is a conflict or refused. */
  readonly reason?: string | undefined
  /** The content to restore; `null` if the file did not exist. */
  readonly sha256: string | null
  readonly mode?: number | undefined
  readonly bytes?: number | undefined
  /** The state of the file when the plan was made; `undefined` if it did not exist. */
  readonly mark?: string | undefined
  readonly now?: SavedFile | undefined
}

export interface RestorePlan {
  readonly projectRoot: string
  /** Only those that differ from their saved state. */
  readonly files: readonly PlannedFile[]
  readonly unchanged: number
}

interface Found extends ChosenState {
  readonly isAfter: boolean
  readonly known: Set<string>
}

/**
 * The recorded state of each file at a moment. Files are saved before they are changed, so it is
 * the one in the first checkpoint after the moment; without such, that of the last one before it.
 * `checkpoints` in the order in which they were recorded.
 */
export function chooseStates(checkpoints: Iterable<DatedFiles>): Map<string, ChosenState> {
  const found = new Map<string, Found>()
  for (const { isAfter, files } of checkpoints) {
    for (const file of files) {
      const before = found.get(file.path)
      const known = before?.known ?? new Set()
      if (file.sha256 !== null) known.add(file.sha256)
      const isLate = before?.isAfter === true
      found.set(file.path, {
        wanted: isLate ? before.wanted : file,
        isAfter: isLate || isAfter,
        known,
        knownBytes: Math.max(before?.knownBytes ?? 0, file.bytes ?? 0),
      })
    }
  }
  return found
}

/** `sessionIds`: the sessions whose folders may hold the contents. */
export function planRestore(
  store: StoreContext,
  states: ReadonlyMap<string, ChosenState>,
  { projectRoot, sessionIds }: { projectRoot: string; sessionIds: readonly string[] },
): RestorePlan {
  const blobs = new BlobReader(store, sessionIds)
  const project = new Project(store, projectRoot)
  const files: PlannedFile[] = []
  let unchanged = 0
  for (const path of [...states.keys()].sort()) {
    const planned = planFile(store, states.get(path)!, project, blobs)
    if (planned === undefined) unchanged++
    else files.push(planned)
  }
  return { projectRoot: project.root, files, unchanged }
}

function planFile(
  { env }: StoreContext,
  { wanted, known, knownBytes }: ChosenState,
  project: Project,
  blobs: BlobReader,
): PlannedFile | undefined {
  const { path, sha256, mode, bytes } = wanted
  const plan = (action: FileAction, more: Partial<PlannedFile> = {}): PlannedFile => {
    return { path, action, sha256, mode, bytes, ...more }
  }
  const refusal = project.findRefusal(path)
  if (refusal !== undefined) return plan('refused', { reason: refusal })
  const maxBytes = Math.max(FILE_BYTES_MAX, knownBytes)
  const now = readState(env.fs, project.absoluteOf(path), maxBytes)
  if (now.kind === 'odd') return plan('refused', { reason: now.why })
  if (wanted.skipped !== undefined) {
    return plan('refused', { reason: `it was not saved then: ${wanted.skipped}` })
  }
  const hash = now.kind === 'file' ? sha256Of(now.content) : null
  const hasMode = now.kind !== 'file' || mode === undefined || mode === now.mode
  if (sha256 === hash && hasMode) return undefined
  const found = describeFound(path, now, hash)
  if (sha256 !== null && !blobs.has(sha256, bytes)) {
    return plan('refused', { reason: 'its content is no longer saved, or was cut off', ...found })
  }
  if (hash === null) return plan('create', found)
  if (!known.has(hash)) {
    const fate = sha256 === null ? 'it did not exist then, and ' : ''
    return plan('conflict', { reason: `${fate}no checkpoint holds its present content`, ...found })
  }
  return plan(sha256 === null ? 'delete' : 'change', found)
}

function describeFound(path: string, now: FileState, sha256: string | null): Partial<PlannedFile> {
  if (now.kind !== 'file') return { now: { path, sha256: null, existed: false } }
  const { content, mode, mark } = now
  return { mark, now: { path, sha256, existed: true, mode, bytes: content.length } }
}
