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
import { copiedFromOf } from '../../format/fields.js'
import { type Diagnostic, diagnostic } from '../../format/index.js'
import {
  type Chapter,
  findEvent,
  listChapters,
  listContinuations,
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
  readonly time: number
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
  const own: Found[] = []
  const hashes = new Set<string>()
  const diagnostics: Diagnostic[] = []
  const read = async (part: RecordedPart, sessionIds: readonly string[]) => {
    const manifests = new BlobReader(store, sessionIds)
    return (await readRecorded(store, part)).filter((recorded) => {
      const problem = findProblem(recorded, hashes, manifests)
      if (problem !== undefined) diagnostics.push(problem)
      return problem === undefined
    })
  }
  for (const [index, chapter] of chapters.entries()) {
    const { sessionId, sources } = chapter
    for (const recorded of await read(chapter, [sessionId, ...sources])) {
      const isAfter =
        index > target.index || (index === target.index && recorded.byteOffset >= target.byteOffset)
      own.push({ ...recorded, isAfter, isOther: false })
    }
  }
  const others: Found[] = []
  for (const part of listContinuations(store, chapters)) {
    const { index, byteOffset, branchedAt, sessionId } = part
    const isShared =
      target.index < index || (target.index === index && target.byteOffset <= byteOffset)
    for (const recorded of await read(part, [sessionId])) {
      const isAfter = isShared && recorded.time <= branchedAt
      others.push({ ...recorded, isAfter, isOther: true })
    }
  }
  const inside = withoutOutside(store, mergeFound(own, others), within, diagnostics)
  const projectRoot = (inside.findLast(({ isOther }) => !isOther) ?? inside.at(-1))?.projectRoot
  const checkpoints = inside.map(({ isAfter, ...recorded }) => {
    return { isAfter, files: filesUnder(projectRoot!, recorded, diagnostics) }
  })
  return { checkpoints, projectRoot, sessionIds, diagnostics }
}

interface Found extends Recorded {
  readonly isAfter: boolean
  /** Saved by a session that this one was resumed or forked from, after that. */
  readonly isOther: boolean
}

/**
 * Adds what the sessions that it branched off from saved after that event. What they saved before it
 * branched was done to the same files, and shows what those were at an earlier event. Of the rest only
 * the contents count, so that they are not taken for unsaved work.
 */
function mergeFound(own: readonly Found[], others: readonly Found[]): readonly Found[] {
  if (others.length === 0) return own
  const touched = new Set(own.flatMap(({ files }) => files.map(({ path }) => path)))
  const known = others.flatMap((found) => {
    if (found.isAfter) return []
    return { ...found, files: found.files.filter(({ path }) => touched.has(path)) }
  })
  const before = own.filter(({ isAfter }) => !isAfter)
  const after = [...own, ...others].filter(({ isAfter }) => isAfter)
  // Written side by side: only their times show which came first.
  return [...known, ...before, ...after.toSorted((one, other) => one.time - other.time)]
}

/** Why a file checkpoint is ignored. */
function findProblem(
  recorded: Recorded,
  hashes: Set<string>,
  manifests: BlobReader,
): Diagnostic | undefined {
  const { path: file, uuid, byteOffset } = recorded
  const place = { file, uuid, byte_offset: byteOffset }
  if (!matchesHash(recorded, hashes)) {
    const what = 'A file checkpoint does not match its hash and is ignored'
    return diagnostic('bad_payload', what, place)
  }
  // A line can be imported or forged; its manifest is written only where files are saved.
  if (manifests.has(`${recorded.hash}.json`, undefined)) return undefined
  const what = 'The file checkpoint has no stored manifest; it is ignored'
  return diagnostic('file_checkpoint_foreign', what, place)
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
    if (found === undefined) continue
    // What an undone compaction repeats was said at another time.
    const original = copiedFromOf(found.event.payload)
    return original === null
      ? { index, byteOffset: found.byte_offset }
      : locate(store, original, chapters)
  }
  const { path } = chapters.at(-1)!
  throw new SessionError('ERR_NOT_FOUND', `No event "${to}" in ${path}`, { to, path })
}

interface RecordedPart {
  readonly path: string
  readonly from?: number | undefined
  readonly end?: number | undefined
}

async function readRecorded(
  store: StoreContext,
  { path, from = 0, end = Number.MAX_SAFE_INTEGER }: RecordedPart,
): Promise<Recorded[]> {
  const found: Recorded[] = []
  for await (const { event, byte_offset: byteOffset } of readEventsBackward(store, path, TYPES)) {
    if (byteOffset < from) break
    if (byteOffset >= end) continue
    const { hash, files, project_root: root } = fieldsOf(event.payload)
    const projectRoot = typeof root === 'string' ? root : undefined
    const list = Array.isArray(files) ? (files as SavedFile[]) : []
    const time = Date.parse(event.ts) || 0
    found.push({ path, uuid: event.uuid, time, byteOffset, hash, files: list, projectRoot })
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
