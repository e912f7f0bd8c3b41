// What would have to happen so that files are again as they were. Reads only.

import { BlobReader } from './blobs.js'
import type { ChosenState } from './choose-states.js'
import { type FileState, lookAtFile } from './file-state.js'
import { type SavedFile, sha256Of } from './manifest.js'
import { PlaceCheck, type Project } from './project-path.js'
import { FILE_BYTES_MAX } from './save-files.js'

/**
 * - `create`: it is gone, and comes back
 * - `change`: it is different, and what it is now is kept, too
 * - `delete`: it was not there then, and what it is now is kept
 * - `conflict`: what it is now is nowhere kept: newer work
 * - `refused`: it can not come back, or nothing may be written there
 */
export type FileAction = 'create' | 'change' | 'delete' | 'conflict' | 'refused'

export interface PlannedFile {
  /** From the root of the project, with slashes. */
  readonly path: string
  readonly action: FileAction
  /** Why it is a conflict or refused. */
  readonly reason?: string | undefined
  /** The content that would come back; `null` for none. */
  readonly sha256: string | null
  readonly mode?: number | undefined
  readonly bytes?: number | undefined
  /** How the file was found, to see whether it is still so; `undefined`: there was none. */
  readonly mark?: string | undefined
  readonly now?: SavedFile | undefined
}

export interface RestorePlan {
  readonly projectRoot: string
  /** Only those that are not as they were. */
  readonly files: readonly PlannedFile[]
  readonly unchanged: number
}

export interface PlanRestoreOptions {
  readonly project: Project
  /** Where contents may be. */
  readonly folders: readonly string[]
}

export function planRestore(
  states: ReadonlyMap<string, ChosenState>,
  { project, folders }: PlanRestoreOptions,
): RestorePlan {
  const blobs = new BlobReader(folders)
  const places = new PlaceCheck(project)
  const files: PlannedFile[] = []
  let unchanged = 0
  for (const path of [...states.keys()].sort()) {
    const planned = planFile(states.get(path)!, places, blobs)
    if (planned === undefined) unchanged++
    else files.push(planned)
  }
  return { projectRoot: project.root, files, unchanged }
}

function planFile(
  { wanted, known, knownBytes }: ChosenState,
  places: PlaceCheck,
  blobs: BlobReader,
): PlannedFile | undefined {
  const { path, sha256, mode, bytes } = wanted
  const plan = (action: FileAction, more: Partial<PlannedFile> = {}): PlannedFile => {
    return { path, action, sha256, mode, bytes, ...more }
  }
  const refusal = places.refusalOf(path)
  if (refusal !== undefined) return plan('refused', { reason: refusal })
  const now = lookAtFile(places.absoluteOf(path), Math.max(FILE_BYTES_MAX, knownBytes))
  if (now.kind === 'odd') return plan('refused', { reason: now.why })
  if (wanted.skipped !== undefined) {
    return plan('refused', { reason: `it was not saved then: ${wanted.skipped}` })
  }
  const hash = now.kind === 'file' ? sha256Of(now.content) : null
  if (isAsWanted(wanted, now, hash)) return undefined
  const found = foundAs(path, now, hash)
  if (sha256 !== null && !blobs.has(sha256, bytes)) {
    return plan('refused', { reason: 'its content is not kept any more, or was cut off', ...found })
  }
  if (hash === null) return plan('create', found)
  if (!known.has(hash)) return plan('conflict', { reason: conflictOf(wanted), ...found })
  return plan(sha256 === null ? 'delete' : 'change', found)
}

function foundAs(path: string, now: FileState, sha256: string | null): Partial<PlannedFile> {
  if (now.kind !== 'file') return { now: { path, sha256: null, existed: false } }
  const { content, mode, mark } = now
  return { mark, now: { path, sha256, existed: true, mode, bytes: content.length } }
}

function conflictOf({ sha256 }: SavedFile): string {
  const fate = sha256 === null ? 'it was not there then, and ' : ''
  return `${fate}no checkpoint keeps what it is now`
}

function isAsWanted({ sha256, mode }: SavedFile, now: FileState, hash: string | null): boolean {
  if (sha256 !== hash) return false
  return now.kind !== 'file' || mode === undefined || mode === now.mode
}
