// Which repository a folder belongs to, read from what git leaves on the disk; git itself is
// never run. A repository is known by its common folder, which all its working trees share.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { normalizeProject } from './project.js'

const LINK = 'gitdir: '

// The files hold one path each.
const FILE_BYTES_MAX = 8192
// Without O_NONBLOCK, opening a FIFO would wait for its writer for ever. Windows has no such flag.
/* v8 ignore next -- @preserve */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * The common folder of the repository around a path, normalized; `undefined` outside of any, and
 * for a folder that is gone: what it belonged to would be a guess. A submodule is a repository of
 * its own. Never throws.
 */
export function repositoryOf(path: string): string | undefined {
  try {
    const gitFolder = findGitFolder(realpathSync.native(path))
    return gitFolder === undefined ? undefined : normalizeProject(commonFolderOf(gitFolder))
  } catch {
    // Gone, or not for us to look into.
    return undefined
  }
}

function findGitFolder(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const entry = join(folder, '.git')
    const stats = statSync(entry, { throwIfNoEntry: false })
    // As git does: a folder of that name that is no repository is passed over, a file is not.
    if (stats?.isDirectory() === true && isGitFolder(entry)) return entry
    if (stats?.isFile() === true) return linkedGitFolder(folder, entry)
    if (dirname(folder) === folder) return undefined
  }
}

/** A working tree or a submodule has a file that names its folder. */
function linkedGitFolder(folder: string, file: string): string | undefined {
  const text = readText(file)
  if (text?.startsWith(LINK) !== true) return undefined
  const gitFolder = resolve(folder, withoutLineEnd(text.slice(LINK.length)))
  return isGitFolder(gitFolder) ? gitFolder : undefined
}

function commonFolderOf(gitFolder: string): string {
  const common = withoutLineEnd(readText(join(gitFolder, 'commondir')) ?? '')
  return common === '' ? gitFolder : resolve(gitFolder, common)
}

function isGitFolder(folder: string): boolean {
  // A link to a branch that has no commit yet leads nowhere, and is a HEAD all the same.
  return lstatSync(join(folder, 'HEAD'), { throwIfNoEntry: false }) !== undefined
}

function withoutLineEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '')
}

function readText(path: string): string | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, FLAGS)
    if (!fstatSync(fd).isFile()) return undefined
    const bytes = Buffer.alloc(FILE_BYTES_MAX)
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0))
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
