// Saves files before they are changed, so that they can be restored.

import type { FileSystem } from '../environment/index.js'
import { SessionError, toSessionError } from '../errors.js'
import { diagnostic } from '../format/index.js'
import type { StoreContext } from '../store/index.js'
import { BlobWriter } from './blobs.js'
import {
  type FileManifest,
  type FileState,
  manifestText,
  readMark,
  readState,
  type SavedFile,
  sha256Of,
} from './file-state.js'
import { Project, type ProjectFile } from './project-path.js'

export const FILE_BYTES_MAX = 16 * 1024 * 1024
const FILES_MAX = 10_000
const READS_MAX = 3

export interface SaveFilesOptions {
  readonly projectRoot: string
  /** The session whose folder keeps the contents. */
  readonly sessionId: string
  readonly maxFileBytes?: number | undefined
  /** Files whose state was just read: if their content is saved, they are not read again. */
  readonly seen?: ReadonlyMap<string, SavedFile> | undefined
}

export interface SavedFiles extends FileManifest {
  /** Of the manifest, which is stored beside the contents under this name. */
  readonly hash: string
}

/** Throws on a path outside of the project before anything is written. */
export async function saveFiles(
  store: StoreContext,
  paths: readonly string[],
  options: SaveFilesOptions,
): Promise<SavedFiles> {
  const { projectRoot, sessionId, seen, maxFileBytes = FILE_BYTES_MAX } = options
  if (!Array.isArray(paths)) throw new TypeError('The files to save must be an array of paths')
  if (!Number.isSafeInteger(maxFileBytes) || maxFileBytes < 0) {
    throw new SessionError('ERR_ARG', 'maxFileBytes must be a non-negative integer')
  }
  const project = new Project(store, projectRoot)
  const blobs = new BlobWriter(store, sessionId)
  const files: SavedFile[] = []
  const unseen: string[] = []
  for (const path of paths) {
    const file = seen?.get(path)
    const isSaved = file && (file.sha256 === null || blobs.has(file.sha256, file.bytes!))
    if (isSaved) files.push(file)
    else unseen.push(path)
  }
  const located = locateAll(project, unseen)
  try {
    for (const { path, absolute } of located) {
      const { file, content } = describeFile(store.env.fs, { path, absolute }, maxFileBytes)
      if (file.skipped !== undefined) {
        store.report(diagnostic('file_not_saved', `${path}: ${file.skipped}`, { file: absolute }))
      }
      if (content !== undefined) await blobs.add(file.sha256!, content)
      files.push(file)
    }
    const manifest = { project_root: project.root, files }
    const text = manifestText(manifest)
    const hash = sha256Of(text)
    await blobs.commit(`${hash}.json`, text)
    return { ...manifest, hash }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause
    throw toSessionError(cause, 'save files in', store.layout.fileHistoryOf(sessionId))
  } finally {
    blobs.discard()
  }
}

function locateAll(project: Project, paths: readonly string[]): ProjectFile[] {
  if (paths.length > FILES_MAX) {
    const what = `One call saves at most ${FILES_MAX} files, not ${paths.length}`
    throw new SessionError('ERR_ARG', what, { count: paths.length })
  }
  // Two spellings of one file are one file.
  const byPath = new Map<string, ProjectFile>()
  for (const path of paths) {
    const file = project.locate(path)
    byPath.set(file.path, file)
  }
  return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
}

function describeFile(
  fs: FileSystem,
  { path, absolute }: ProjectFile,
  maxBytes: number,
): { file: SavedFile; content?: Buffer } {
  const state = readAtRest(fs, absolute, maxBytes)
  if (state.kind === 'absent') return { file: { path, sha256: null, existed: false } }
  if (state.kind === 'odd') {
    return { file: { path, sha256: null, existed: true, skipped: state.why } }
  }
  const { content, mode } = state
  const sha256 = sha256Of(content)
  return { file: { path, sha256, existed: true, mode, bytes: content.length }, content }
}

/** A file that is written meanwhile is read again, a few times. */
function readAtRest(fs: FileSystem, absolute: string, maxBytes: number): FileState {
  for (let reads = 0; reads < READS_MAX; reads++) {
    const state = readState(fs, absolute, maxBytes)
    if (state.kind !== 'file' || readMark(fs, absolute) === state.mark) return state
  }
  return { kind: 'odd', why: 'it is being written to' }
}
