// The file checkpoints of a session and of the sessions it continues, in the order in which they
// were recorded, relative to one of its events.

import { isAbsolute, join, relative, sep } from 'node:path'
import { fieldsOf } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import {
  BlobReader,
  type DatedFiles,
  manifestText,
  type SavedFile,
  sha256Of,
} from '../../files/index.js'
import { type Diagnostic, diagnostic } from '../../format/index.js'
import {
  type Chapter,
  findEvent,
  listChapters,
  normalizeProject,
  readEventsBackward,
  type StoreContext,
} from '../../store/index.js'

export interface FileCheckpoints {
  readonly checkpoints: readonly DatedFiles[]
  /** The folder of the files; of several, the newest. `undefined` if nothing was recorded. */
  readonly projectRoot: string | undefined
  /** The sessions whose folders may hold the contents; the first is the session itself. */
  readonly sessionIds: readonly string[]
  /** Checkpoints that were ignored, and files that are not restored with the others. */
  readonly diagnostics: readonly Diagnostic[]
}

interface Recorded {
  readonly path: string
  readonly uuid: string
  readonly byteOffset: number
  readonly hash: unknown
  readonly files: readonly SavedFile[]
  readonly projectRoot: string | undefined
}

export interface LoadFileCheckpointsOptions {
  /** An event of the session, or of one that it continues. */
  readonly to: string
  /** A normalized folder: files that were saved outside of it are not restored. */
  readonly within: string | undefined
}

const TYPES = new Set(['file_checkpoint'])

export async function loadFileCheckpoints(
  store: StoreContext,
  path: string,
  { to, within }: LoadFileCheckpointsOptions,
): Promise<FileCheckpoints> {
  const chapters = listChapters(store, path)
  const sessionIds = sessionIdsOf(chapters)
  const target = locate(store, to, chapters)
  const found: (Recorded & { readonly isAfter: boolean })[] = []
  const hashes = new Set<string>()
  const diagnostics: Diagnostic[] = []
  for (const [index, chapter] of chapters.entries()) {
    const { sessionId, sources } = chapter
    const manifests = new BlobReader(store, [sessionId, ...sources])
    for (const recorded of await readRecorded(store, chapter)) {
      const { path: file, uuid, byteOffset } = recorded
      const place = { file, uuid, byte_offset: byteOffset }
      if (!matchesHash(recorded, hashes)) {
        const what = 'A file checkpoint does not match its hash and is ignored'
        diagnostics.push(diagnostic('bad_payload', what, place))
        continue
      }
      // A line can be imported or forged; its manifest is written only where files are saved.
      if (!manifests.has(`${recorded.hash}.json`, undefined)) {
        const what = 'No manifest of a file checkpoint is stored here, so it is ignored'
        diagnostics.push(diagnostic('file_checkpoint_foreign', what, place))
        continue
      }
      const isAfter =
        index > target.index || (index === target.index && byteOffset >= target.byteOffset)
      found.push({ ...recorded, isAfter })
    }
  }
  const inside = withoutOutside(store, found, within, diagnostics)
  const projectRoot = inside.at(-1)?.projectRoot
  const checkpoints = inside.map(({ isAfter, ...recorded }) => {
    return { isAfter, files: filesUnder(projectRoot!, recorded, diagnostics) }
  })
  return { checkpoints, projectRoot, sessionIds, diagnostics }
}

/** The sessions whose folders may hold the contents; the first is the session itself. */
export function sessionIdsOf(chapters: readonly Chapter[]): readonly string[] {
  const ids = chapters.toReversed().flatMap(({ sessionId, sources }) => [sessionId, ...sources])
  return [...new Set(ids)]
}

function locate(
  store: StoreContext,
  to: string,
  chapters: readonly Chapter[],
): { readonly index: number; readonly byteOffset: number } {
  for (let index = chapters.length - 1; index >= 0; index--) {
    const found = findEvent(store, chapters[index]!.path, to)
    if (found !== undefined) return { index, byteOffset: found.byte_offset }
  }
  const { path } = chapters.at(-1)!
  throw new SessionError('ERR_NOT_FOUND', `No event "${to}" in ${path}`, { to, path })
}

async function readRecorded(store: StoreContext, { path, end }: Chapter): Promise<Recorded[]> {
  const found: Recorded[] = []
  for await (const { event, byte_offset: byteOffset } of readEventsBackward(store, path, TYPES)) {
    if (byteOffset >= end) continue
    const { hash, files, project_root: root } = fieldsOf(event.payload)
    const projectRoot = typeof root === 'string' ? root : undefined
    const list = Array.isArray(files) ? (files as SavedFile[]) : []
    found.push({ path, uuid: event.uuid, byteOffset, hash, files: list, projectRoot })
  }
  return found.reverse()
}

/** The list of files is what was hashed: nothing else may be written over the user's files. */
function matchesHash({ hash, files, projectRoot }: Recorded, hashes: Set<string>): boolean {
  if (projectRoot === undefined || !files.every((file) => isSavedFile(file, hashes))) return false
  return sha256Of(manifestText({ project_root: projectRoot, files })) === hash
}

/** `hashes`: those already checked, because a session saves the same files again and again. */
function isSavedFile(file: unknown, hashes: Set<string>): boolean {
  const { path, sha256 } = fieldsOf(file) as Partial<SavedFile>
  if (typeof path !== 'string' || sha256 === undefined) return false
  if (sha256 === null || hashes.has(sha256)) return true
  const isHash = /^[0-9a-f]{64}$/.test(sha256)
  if (isHash) hashes.add(sha256)
  return isHash
}

/** A session may work in several folders; only files inside one of them are restored together. */
function filesUnder(root: string, recorded: Recorded, diagnostics: Diagnostic[]): SavedFile[] {
  const { projectRoot: from, files } = recorded
  if (from === root) return [...files]
  const moved = files.map((saved) => {
    const inside = relative(root, join(from!, saved.path)).split(sep).join('/')
    return { ...saved, path: inside }
  })
  const kept = moved.filter(({ path }) => !path.startsWith('../') && !isAbsolute(path))
  const left = files.length - kept.length
  if (left > 0) diagnostics.push(toElsewhere(recorded, left, root))
  return kept
}

function toElsewhere({ path, projectRoot, uuid }: Recorded, left: number, root: string) {
  const saved = left === 1 ? '1 file was' : `${left} files were`
  const what = `${saved} saved in ${projectRoot}, outside of ${root}`
  return diagnostic('file_elsewhere', what, { file: path, uuid })
}

/** A record must not decide where files are written, so those of other folders are left. */
function withoutOutside<One extends Recorded>(
  store: StoreContext,
  found: readonly One[],
  within: string | undefined,
  diagnostics: Diagnostic[],
): readonly One[] {
  if (within === undefined) return found
  const roots = [...new Set(found.map(({ projectRoot }) => projectRoot!))]
  const inside = new Set(roots.filter((root) => isInside(normalizeProject(store, root), within)))
  if (inside.size === 0 && roots.length > 0) {
    const what = `The files were saved in ${roots.at(-1)}, outside of the project ${within}`
    const advice = 'name the folder as projectRoot (--project) to restore them'
    throw new SessionError('ERR_ARG', `${what}; ${advice}`, { project: within })
  }
  return found.filter((recorded) => {
    const isKept = inside.has(recorded.projectRoot!)
    if (!isKept) diagnostics.push(toElsewhere(recorded, recorded.files.length, within))
    return isKept
  })
}

function isInside(folder: string, within: string): boolean {
  const path = relative(within, folder)
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}
