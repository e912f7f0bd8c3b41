// The file checkpoints of a session and of the sessions it goes on from, in the order in which
// they were recorded, seen from one of its events.

import { isAbsolute, join, relative, sep } from 'node:path'
import { fieldsOf } from '../chain/index.js'
import { SessionError } from '../errors.js'
import { type DatedFiles, manifestText, type SavedFile, sha256Of } from '../files/index.js'
import { type Diagnostic, diagnostic, isOnChainType } from '../format/index.js'
import { scanLog } from '../log/index.js'
import {
  findEvent,
  findParent,
  type Layout,
  lineageOf,
  readEventsBackward,
} from '../store/index.js'

export interface FileCheckpoints {
  readonly checkpoints: readonly DatedFiles[]
  /** Where the files lay; of several, the newest. `undefined`: nothing was recorded. */
  readonly projectRoot: string | undefined
  /** The sessions whose folders may hold the contents. */
  readonly sessionIds: readonly string[]
  /** Checkpoints that do not prove themselves and were left out. */
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

/** A file of the lineage, and up to where it belongs to the session. */
interface Chapter {
  readonly path: string
  readonly end: number
}

const TYPES = new Set(['file_checkpoint'])
const CHAPTERS_MAX = 1000

/** `to`: an event of the session, or of one that it goes on from. */
export async function loadFileCheckpoints(
  path: string,
  to: string,
  layout: Layout,
): Promise<FileCheckpoints> {
  const { chapters, sessionIds } = chaptersOf(path, layout)
  const target = locate(to, chapters)
  const found: (Recorded & { readonly isAfter: boolean })[] = []
  const hashes = new Set<string>()
  const diagnostics: Diagnostic[] = []
  for (const [index, chapter] of chapters.entries()) {
    for (const recorded of await recordedIn(chapter)) {
      if (!isProven(recorded, hashes)) {
        diagnostics.push(unprovenOf(recorded))
        continue
      }
      const isAfter =
        index > target.index || (index === target.index && recorded.byteOffset >= target.byteOffset)
      found.push({ ...recorded, isAfter })
    }
  }
  const projectRoot = found.at(-1)?.projectRoot
  const checkpoints = found.map(({ isAfter, ...recorded }) => {
    return { isAfter, files: filesUnder(projectRoot!, recorded, diagnostics) }
  })
  return { checkpoints, projectRoot, sessionIds, diagnostics }
}

/** The sessions whose folders may hold the contents. */
export function sessionIdsOf(path: string, layout: Layout): readonly string[] {
  return chaptersOf(path, layout).sessionIds
}

/** Oldest first. */
function chaptersOf(
  path: string,
  layout: Layout,
): { chapters: readonly Chapter[]; sessionIds: readonly string[] } {
  const chapters: Chapter[] = []
  const sessionIds = new Set<string>()
  let next: Chapter | undefined = { path, end: Number.POSITIVE_INFINITY }
  const seen = new Set<string>()
  while (next !== undefined && !seen.has(next.path) && chapters.length < CHAPTERS_MAX) {
    seen.add(next.path)
    chapters.unshift(next)
    const { session_id, sources, resumedFrom } = lineageOf(next.path)
    for (const id of [session_id, ...sources]) sessionIds.add(id)
    const parent = resumedFrom && findParent(resumedFrom, layout)
    next = parent === undefined ? undefined : chapterUpTo(parent, resumedFrom!.tip_uuid ?? null)
  }
  return { chapters, sessionIds: [...sessionIds] }
}

/** A parent's part: its tip, and what was noted beside the chain before it went on without us. */
function chapterUpTo(path: string, tip: string | null): Chapter {
  const from = tip === null ? undefined : findEvent(path, tip)?.byte_offset
  let end = Number.POSITIVE_INFINITY
  if (from === undefined) return { path, end }
  scanLog(
    path,
    ({ type, byte_offset }) => {
      const isNext = byte_offset > from && isOnChainType(type) === true
      if (isNext) end = Math.min(end, byte_offset)
    },
    { from, verify: true },
  )
  return { path, end }
}

function locate(
  to: string,
  chapters: readonly Chapter[],
): { readonly index: number; readonly byteOffset: number } {
  for (let index = chapters.length - 1; index >= 0; index--) {
    const found = findEvent(chapters[index]!.path, to)
    if (found !== undefined) return { index, byteOffset: found.byte_offset }
  }
  const { path } = chapters.at(-1)!
  throw new SessionError('ERR_NOT_FOUND', `No event "${to}" in ${path}`, { to, path })
}

async function recordedIn({ path, end }: Chapter): Promise<Recorded[]> {
  const found: Recorded[] = []
  for await (const { event, byte_offset: byteOffset } of readEventsBackward(path, TYPES)) {
    if (byteOffset >= end) continue
    const { hash, files, project_root: root } = fieldsOf(event.payload)
    const projectRoot = typeof root === 'string' ? root : undefined
    const list = Array.isArray(files) ? (files as SavedFile[]) : []
    found.push({ path, uuid: event.uuid, byteOffset, hash, files: list, projectRoot })
  }
  return found.reverse()
}

/** Its hash is that of its own list: nobody changed what would be written over files. */
function isProven({ hash, files, projectRoot }: Recorded, hashes: Set<string>): boolean {
  if (projectRoot === undefined || !files.every((file) => isSavedFile(file, hashes))) return false
  return sha256Of(manifestText({ project_root: projectRoot, files })) === hash
}

/** `hashes` are those that were looked at before: a session saves the same files again and again. */
function isSavedFile(file: unknown, hashes: Set<string>): boolean {
  const { path, sha256 } = fieldsOf(file) as Partial<SavedFile>
  if (typeof path !== 'string' || sha256 === undefined) return false
  if (sha256 === null || hashes.has(sha256)) return true
  const isHash = /^[0-9a-f]{64}$/.test(sha256)
  if (isHash) hashes.add(sha256)
  return isHash
}

/** A session may work in several folders; only what lies in one of them is restored together. */
function filesUnder(root: string, recorded: Recorded, diagnostics: Diagnostic[]): SavedFile[] {
  const { path: file, projectRoot: from, files, uuid } = recorded
  if (from === root) return [...files]
  const moved = files.map((saved) => {
    const inside = relative(root, join(from!, saved.path)).split(sep).join('/')
    return { ...saved, path: inside }
  })
  const isInside = ({ path }: SavedFile) => !path.startsWith('../') && !isAbsolute(path)
  const kept = moved.filter(isInside)
  if (kept.length < files.length) {
    const left = files.length - kept.length
    const saved = left === 1 ? '1 file was' : `${left} files were`
    const what = `${saved} saved in ${from}, outside of ${root}`
    diagnostics.push(diagnostic('file_elsewhere', what, { file, uuid }))
  }
  return kept
}

function unprovenOf({ path, uuid, byteOffset }: Recorded): Diagnostic {
  const what = 'A file checkpoint does not fit its hash and is left out'
  return diagnostic('bad_payload', what, { file: path, uuid, byte_offset: byteOffset })
}
