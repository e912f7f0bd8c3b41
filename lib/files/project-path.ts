// Which files of a project may be saved and written: those inside it that no link leads away from,
// and never the store itself.

import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { FileSystem } from '../environment/index.js'
import { SessionError } from '../errors.js'
import { kindOf } from '../log/internal.js'
import type { Layout, StoreContext } from '../store/index.js'
import { codeOf } from './file-state.js'

export interface ProjectFile {
  /** From the root of the project, with slashes: as it is recorded. */
  readonly path: string
  readonly absolute: string
}

// An empty part, or one that leads up or nowhere.
const ODD_PART = /(?:^|\/)\.{0,2}(?:\/|$)/

/* v8 ignore next -- @preserve only on Windows can more characters lead elsewhere */
const ODD_CHARACTER = sep === '/' ? /\0/ : /[\0\\:]/

/** A folder whose files are saved or restored. Lives for one call: it remembers its folders. */
export class Project {
  /** Absolute, without links. */
  readonly root: string
  readonly #fs: FileSystem
  /** Paths of the store inside the project, in lower case, so that every spelling is refused. */
  readonly #own: readonly string[]
  readonly #refusals = new Map<string, string | undefined>()

  constructor({ env, layout }: StoreContext, folder: string) {
    this.#fs = env.fs
    try {
      this.root = env.fs.realpathSync.native(folder)
    } catch (cause) {
      const what = `The project folder ${folder} does not exist`
      throw new SessionError('ERR_NOT_FOUND', what, { project: folder, cause })
    }
    const start = this.root.toLowerCase() + sep
    this.#own = ownPaths(env.fs, layout).filter((path) => path.startsWith(start))
  }

  /** A file that a caller names, from the root of the project or absolute. */
  locate(path: string): ProjectFile {
    if (typeof path !== 'string') throw new TypeError('The path of a file must be a string')
    if (path === '' || path.includes('\0') || !path.isWellFormed()) {
      throw new SessionError('ERR_ARG', `"${path}" is not the path of a file`, { path })
    }
    const asked = resolve(this.root, path)
    const absolute = join(existingPart(this.#fs, dirname(asked)), nameOnDisk(this.#fs, asked))
    const inside = relative(this.root, absolute)
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      throw refused(path, `it is outside the project ${this.root}`)
    }
    if (this.#isOwn(absolute)) throw refused(path, 'it is part of the store')
    return { path: inside.split(sep).join('/'), absolute }
  }

  /** Of a recorded path. */
  absoluteOf(path: string): string {
    return this.root + sep + path.replaceAll('/', sep)
  }

  /** Why a recorded file must not be written where it was; `undefined` if it may. */
  findRefusal(path: string): string | undefined {
    if (ODD_PART.test(path) || ODD_CHARACTER.test(path)) return 'its path leads out of the project'
    if (this.#isOwn(this.absoluteOf(path))) return 'it is part of the store'
    return this.#findFolderRefusal(parentOf(path))
  }

  #findFolderRefusal(folder: string): string | undefined {
    if (folder === '') return undefined
    if (this.#refusals.has(folder)) return this.#refusals.get(folder)
    const refusal = this.#findFolderRefusal(parentOf(folder)) ?? this.#checkFolder(folder)
    this.#refusals.set(folder, refusal)
    return refusal
  }

  #checkFolder(folder: string): string | undefined {
    try {
      const stats = this.#fs.lstatSync(this.absoluteOf(folder), { throwIfNoEntry: false })
      if (stats === undefined || stats.isDirectory()) return undefined
      return `${kindOf(stats)} is in place of its folder ${folder}`
    } catch (error) {
      return `its folder ${folder} cannot be read (${codeOf(error)})`
    }
  }

  #isOwn(absolute: string): boolean {
    if (this.#own.length === 0) return false
    const path = absolute.toLowerCase()
    return this.#own.some((own) => path === own || path.startsWith(own + sep))
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The folder without links, as far as it exists. */
function existingPart(fs: FileSystem, folder: string): string {
  try {
    return fs.realpathSync.native(folder)
  } catch {
    // Missing or not readable: its parent decides.
    const parent = dirname(folder)
    /* v8 ignore next -- @preserve only on Windows may the top of a path be missing */
    return parent === folder ? folder : join(existingPart(fs, parent), basename(folder))
  }
}

/** As the disk spells it, where it accepts more than one spelling; a link keeps its own name. */
function nameOnDisk(fs: FileSystem, path: string): string {
  const name = basename(path)
  try {
    return fs.lstatSync(path).isSymbolicLink() ? name : basename(fs.realpathSync.native(path))
  } catch {
    // Missing or not readable.
    return name
  }
}

function ownPaths(fs: FileSystem, { root, home }: Layout): string[] {
  const inRoot = ['.transcripts', '.sidechains', '.checkpoints', '.claims', '.spool', '.archive']
  const more = ['.trash', '.imports', 'agents', 'retention.jsonl', 'relocations.jsonl']
  const inHome = ['file-history', '.archive', '.trash', 'agents', 'history.jsonl']
  return [
    ...[...inRoot, ...more].map((name) => join(existingPart(fs, root), name)),
    ...inHome.map((name) => join(existingPart(fs, home), name)),
  ].map((path) => path.toLowerCase())
}

function refused(path: string, why: string): SessionError {
  return new SessionError('ERR_UNSAFE_PATH', `${path} is not saved: ${why}`, { path })
}
