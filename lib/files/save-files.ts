// Files as they are before somebody changes them, kept so that they can come back.

import { SessionError } from '../errors.js'
import { type Diagnostic, diagnostic } from '../format/index.js'
import { BlobWriter } from './blobs.js'
import { type FileState, lookAtFile, markOf } from './file-state.js'
import { type FileManifest, manifestText, type SavedFile, sha256Of } from './manifest.js'
import { type FilePlace, type Project, placeInProject } from './project-path.js'

export const FILE_BYTES_MAX = 16 * 1024 * 1024
const FILES_MAX = 10_000
const READS_MAX = 3

export interface SaveFilesOptions {
  readonly project: Project
  /** Where contents are kept. */
  readonly folder: string
  readonly maxFileBytes?: number | undefined
  /** Files that were just looked at: where their content is kept, they are not read again. */
  readonly seen?: ReadonlyMap<string, SavedFile> | undefined
  readonly report: (diagnostic: Diagnostic) => void
}

export interface SavedFiles extends FileManifest {
  /** Of the manifest, which lies beside the contents under this name. */
  readonly hash: string
}

/** Refuses paths outside of the project before anything is written. */
export async function saveFiles(
  paths: readonly string[],
  options: SaveFilesOptions,
): Promise<SavedFiles> {
  const { project, folder, seen, maxFileBytes = FILE_BYTES_MAX, report } = options
  if (!Array.isArray(paths)) throw new TypeError('The files to save must be an array of paths')
  if (!Number.isSafeInteger(maxFileBytes) || maxFileBytes < 0) {
    throw new SessionError('ERR_ARG', 'maxFileBytes must be a whole number from 0')
  }
  const blobs = new BlobWriter(folder)
  const isKept = (path: string) => {
    const file = seen?.get(path)
    return file !== undefined && (file.sha256 === null || blobs.has(file.sha256, file.bytes!))
  }
  const kept = new Set(paths.filter(isKept))
  const places = placesOf(
    paths.filter((path) => !kept.has(path)),
    project,
  )
  const files: SavedFile[] = paths.filter((path) => kept.has(path)).map((path) => seen!.get(path)!)
  try {
    for (const { path, absolute } of places) {
      const { file, content } = savedFile(path, absolute, maxFileBytes)
      if (file.skipped !== undefined) {
        report(diagnostic('file_not_saved', `${path}: ${file.skipped}`, { file: absolute }))
      }
      if (content !== undefined) await blobs.add(file.sha256!, content)
      files.push(file)
    }
    const manifest = { project_root: project.root, files }
    const text = manifestText(manifest)
    const hash = sha256Of(text)
    await blobs.settle(`${hash}.json`, text)
    return { ...manifest, hash }
  } finally {
    blobs.discard()
  }
}

function placesOf(paths: readonly string[], project: Project): FilePlace[] {
  if (paths.length > FILES_MAX) {
    const what = `${paths.length} files at once are too many; ${FILES_MAX} are the most`
    throw new SessionError('ERR_ARG', what, { count: paths.length })
  }
  // Two spellings of one file are one file.
  const byPath = new Map<string, FilePlace>()
  for (const path of paths) {
    const place = placeInProject(path, project)
    byPath.set(place.path, place)
  }
  return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
}

function savedFile(
  path: string,
  absolute: string,
  maxBytes: number,
): { file: SavedFile; content?: Buffer } {
  const state = readAtRest(absolute, maxBytes)
  if (state.kind === 'absent') return { file: { path, sha256: null, existed: false } }
  if (state.kind === 'odd') {
    return { file: { path, sha256: null, existed: true, skipped: state.why } }
  }
  const { content, mode } = state
  const sha256 = sha256Of(content)
  return { file: { path, sha256, existed: true, mode, bytes: content.length }, content }
}

/** One that is written to meanwhile is read again, a few times. */
function readAtRest(absolute: string, maxBytes: number): FileState {
  for (let reads = 0; reads < READS_MAX; reads++) {
    const state = lookAtFile(absolute, maxBytes)
    if (state.kind !== 'file' || markOf(absolute) === state.mark) return state
  }
  return { kind: 'odd', why: 'it is being written to' }
}
