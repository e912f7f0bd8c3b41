// Which files a caller may have read by naming their path. Whoever names a path may not be whoever
// owns the files, so it must lead to a regular file of bounded size inside an allowed folder.

import { accessSync, constants, lstatSync, realpathSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { layoutOf, type StoreOptions } from './layout.js'

export const TRANSCRIPT_BYTES_MAX = 64 * 1024 * 1024

export interface AllowedPathOptions extends StoreOptions {
  /**
   * Folders to be trusted beside the store, `~/.claude/projects` and `jsonl-session` in the
   * system's folder for temporary files.
   *
   * @default none
   */
  allowedFolders?: readonly string[] | undefined
}

/** The file that is meant, without links; or why it is not read. */
export type AllowedPath = { readonly path: string } | { readonly refusal: string }

export function resolveAllowed(path: string, options: AllowedPathOptions): AllowedPath {
  if (typeof path !== 'string') throw new TypeError('The path of a transcript must be a string')
  try {
    const real = realpathSync.native(path)
    const isInside = allowedFolders(options).some((folder) => real.startsWith(folder + sep))
    if (!isInside) return { refusal: 'it lies outside of the allowed folders' }
    const stats = lstatSync(real)
    if (!stats.isFile()) return { refusal: 'it is not a regular file' }
    if (stats.size > TRANSCRIPT_BYTES_MAX) return { refusal: 'it is larger than 64 MiB' }
    accessSync(real, constants.R_OK)
    return { path: real }
  } catch (error) {
    return { refusal: `it cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}

function allowedFolders(options: AllowedPathOptions): string[] {
  const folders = [
    layoutOf(options).root,
    join(homedir(), '.claude', 'projects'),
    join(tmpdir(), 'jsonl-session'),
    ...(options.allowedFolders ?? []),
  ]
  return folders.flatMap((folder) => {
    try {
      return realpathSync.native(folder)
    } catch {
      // Nothing lies in a folder that is not there.
      return []
    }
  })
}
