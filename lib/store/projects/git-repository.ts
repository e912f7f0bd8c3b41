// Which git repository a folder belongs to, read from the files of git; git itself is never run.
// A repository is identified by its common folder, which all its working trees share.

import { constants } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { FileSystem } from '../../environment/index.js'
import type { StoreContext } from '../context.js'
import { normalizeProject } from './normalize-project.js'

const LINK = 'gitdir: '

// The files hold one path each.
const FILE_BYTES_MAX = 8192
// Without O_NONBLOCK, opening a FIFO would wait for its writer forever. Windows has no such flag.
/* v8 ignore next -- @preserve */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * The common folder of the repository around a path, normalized; `undefined` outside of any, and
 * for a folder that does not exist any more. A submodule is a repository of its own. Never throws.
 */
export function findRepository(store: StoreContext, path: string): string | undefined {
  const { fs } = store.env
  try {
    const gitFolder = findGitFolder(fs, fs.realpathSync.native(path))
    return gitFolder && normalizeProject(store, commonFolderOf(fs, gitFolder))
  } catch {
    // Removed, or unreadable for this user.
    return undefined
  }
}

function findGitFolder(fs: FileSystem, start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const entry = join(folder, '.git')
    const stats = fs.statSync(entry, { throwIfNoEntry: false })
    // As git does: a folder of that name that is not a repository is ignored, a file is not.
    if (stats?.isDirectory() === true && isGitFolder(fs, entry)) return entry
    if (stats?.isFile() === true) return linkedGitFolder(fs, folder, entry)
    if (dirname(folder) === folder) return undefined
  }
}

/** A working tree or a submodule has a file that names its folder. */
function linkedGitFolder(fs: FileSystem, folder: string, file: string): string | undefined {
  const text = readText(fs, file)
  if (text?.startsWith(LINK) !== true) return undefined
  const gitFolder = resolve(folder, withoutLineEnd(text.slice(LINK.length)))
  return isGitFolder(fs, gitFolder) ? gitFolder : undefined
}

function commonFolderOf(fs: FileSystem, gitFolder: string): string {
  const common = withoutLineEnd(readText(fs, join(gitFolder, 'commondir')) ?? '')
  return common === '' ? gitFolder : resolve(gitFolder, common)
}

function isGitFolder(fs: FileSystem, folder: string): boolean {
  // Before the first commit, a HEAD that is a link dangles and is still a HEAD.
  return fs.lstatSync(join(folder, 'HEAD'), { throwIfNoEntry: false }) !== undefined
}

function withoutLineEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '')
}

function readText(fs: FileSystem, path: string): string | undefined {
  let fd: number | undefined
  try {
    fd = fs.openSync(path, FLAGS)
    if (!fs.fstatSync(fd).isFile()) return undefined
    const bytes = Buffer.alloc(FILE_BYTES_MAX)
    return bytes.toString('utf8', 0, fs.readSync(fd, bytes, 0, bytes.length, 0))
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}
