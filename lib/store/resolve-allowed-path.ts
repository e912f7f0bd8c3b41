// Which foreign transcripts may be read by path. The caller who names a path may not own the
// files, so it must lead to a regular file of bounded size inside an allowed folder.

import { constants } from 'node:fs'
import { join, sep } from 'node:path'
import type { StoreContext } from './context.js'

const TRANSCRIPT_BYTES_MAX = 64 * 1024 * 1024

export interface AllowedPathOptions {
  /**
   * Folders to trust in addition to the store, `~/.claude/projects` and `jsonl-session` in the
   * system's folder for temporary files.
   *
   * @default none
   */
  allowedFolders?: readonly string[] | undefined

  /**
   * Trust these folders and no others.
   *
   * @default the store and the other folders named above
   */
  onlyFolders?: readonly string[] | undefined
}

/** The file without links, or why it is not read. */
type AllowedPath = { readonly path: string } | { readonly refusal: string }

export function resolveAllowedPath(
  store: StoreContext,
  path: string,
  options: AllowedPathOptions = {},
): AllowedPath {
  if (typeof path !== 'string') throw new TypeError('The path of a transcript must be a string')
  const { fs } = store.env
  try {
    const real = fs.realpathSync.native(path)
    const isInside = allowedFolders(store, options).some((folder) => real.startsWith(folder + sep))
    if (!isInside) return { refusal: 'it is outside the allowed folders' }
    const stats = fs.lstatSync(real)
    if (!stats.isFile()) return { refusal: 'it is not a regular file' }
    if (stats.size > TRANSCRIPT_BYTES_MAX) return { refusal: 'it is larger than 64 MiB' }
    fs.accessSync(real, constants.R_OK)
    return { path: real }
  } catch (error) {
    return { refusal: `it cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}

function allowedFolders({ env, layout }: StoreContext, options: AllowedPathOptions): string[] {
  const folders = options.onlyFolders ?? [
    layout.root,
    join(env.host.homedir(), '.claude', 'projects'),
    join(env.host.tmpdir(), 'jsonl-session'),
    ...(options.allowedFolders ?? []),
  ]
  return folders.flatMap((folder) => {
    try {
      return env.fs.realpathSync.native(folder)
    } catch {
      // The folder does not exist.
      return []
    }
  })
}
