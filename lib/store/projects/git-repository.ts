// Which git repository a folder belongs to, read from the files of git; git itself is never run.
// A repository is identified by its common folder, which all its working trees share.

import { dirname, join, resolve } from 'node:path'
import type { FileSystem } from '../../environment/index.js'
import type { StoreContext } from '../context.js'
import { readSmallText } from '../read-small-text.js'
import { normalizeProject } from './normalize-project.js'

const LINK = 'gitdir: '

// The files hold one path each.
const FILE_BYTES_MAX = 8192

/**
 * The common folder of the repository around a path, normalized; `undefined` outside of any, and
 * for a folder that does not exist any more. A submodule is a repository of its own. Never throws.
 */
export function findRepository(store: StoreContext, path: string): string | undefined {
  const { fs } = store.env
  try {
    const gitFolder = findGitFolder(store, fs.realpathSync.native(path))
    return gitFolder && normalizeProject(store, commonFolderOf(store, gitFolder))
  } catch {
    // Removed, or unreadable for this user.
    return undefined
  }
}

function findGitFolder(store: StoreContext, start: string): string | undefined {
  const { fs } = store.env
  for (let folder = start; ; folder = dirname(folder)) {
    const entry = join(folder, '.git')
    const stats = fs.statSync(entry, { throwIfNoEntry: false })
    // As git does: a folder of that name that is not a repository is ignored, a file is not.
    if (stats?.isDirectory() === true && isGitFolder(fs, entry)) return entry
    if (stats?.isFile() === true) return linkedGitFolder(store, folder, entry)
    if (dirname(folder) === folder) return undefined
  }
}

/** A working tree or a submodule has a file that names its folder. */
function linkedGitFolder(store: StoreContext, folder: string, file: string): string | undefined {
  const text = readPath(store, file)
  if (!text.startsWith(LINK)) return undefined
  const gitFolder = resolve(folder, text.slice(LINK.length))
  return isGitFolder(store.env.fs, gitFolder) ? gitFolder : undefined
}

function commonFolderOf(store: StoreContext, gitFolder: string): string {
  return resolve(gitFolder, readPath(store, join(gitFolder, 'commondir')))
}

function isGitFolder(fs: FileSystem, folder: string): boolean {
  // Before the first commit, a HEAD that is a link dangles and is still a HEAD.
  return fs.lstatSync(join(folder, 'HEAD'), { throwIfNoEntry: false }) !== undefined
}

/** Empty for a file that cannot be read. */
function readPath(store: StoreContext, file: string): string {
  try {
    return readSmallText(store, file, FILE_BYTES_MAX)
      .toString()
      .replace(/[\r\n]+$/, '')
  } catch {
    return ''
  }
}
