// Which files of a project may be saved and written: those inside of it that no link leads away
// from, and never the store itself.

import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { SessionError } from '../errors.js'
import { kindOf } from '../log/inside.js'
import type { Layout } from '../store/index.js'
import { codeOf } from './file-state.js'

/** A folder and the rules for what lies in it. */
export interface Project {
  /** Absolute, without links. */
  readonly root: string
  /** What of the store lies in it, in lower case: no spelling of it is let through. */
  readonly own: readonly string[]
}

export interface FilePlace {
  /** From the root of the project, with slashes: as it is recorded. */
  readonly path: string
  readonly absolute: string
}

// An empty part, or one that leads up or nowhere.
const ODD_PART = /(?:^|\/)\.{0,2}(?:\/|$)/

/* v8 ignore next -- @preserve only on Windows do more signs lead elsewhere */
const ODD_SIGN = sep === '/' ? /\0/ : /[\0\\:]/

export function projectAt(folder: string, layout: Layout): Project {
  try {
    const root = realpathSync.native(folder)
    const start = root.toLowerCase() + sep
    return { root, own: ownPlaces(layout).filter((place) => place.startsWith(start)) }
  } catch (cause) {
    const what = `The project ${folder} is not there`
    throw new SessionError('ERR_NOT_FOUND', what, { project: folder, cause })
  }
}

/** The place of a file that a caller names, from the root of the project or absolute. */
export function placeInProject(path: string, project: Project): FilePlace {
  if (typeof path !== 'string') throw new TypeError('The path of a file must be a string')
  if (path === '' || path.includes('\0') || !path.isWellFormed()) {
    throw new SessionError('ERR_ARG', `"${path}" is not the path of a file`, { path })
  }
  const asked = resolve(project.root, path)
  const absolute = join(existingPart(dirname(asked)), nameOnDisk(asked))
  const inside = relative(project.root, absolute)
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw refused(path, `it lies outside of the project ${project.root}`)
  }
  if (isOwn(absolute, project)) throw refused(path, 'it is a part of the store')
  return { path: inside.split(sep).join('/'), absolute }
}

/**
 * Looks whether a recorded file may be written where it was: `undefined`, or what speaks against
 * it. One for each round of work: folders that were looked at are remembered.
 */
export class PlaceCheck {
  readonly #project: Project
  readonly #folders = new Map<string, string | undefined>()

  constructor(project: Project) {
    this.#project = project
  }

  absoluteOf(path: string): string {
    return this.#project.root + sep + path.replaceAll('/', sep)
  }

  refusalOf(path: string): string | undefined {
    if (ODD_PART.test(path) || ODD_SIGN.test(path)) return 'its path leads out of the project'
    if (isOwn(this.absoluteOf(path), this.#project)) return 'it is a part of the store'
    return this.#refusalOfFolder(path.slice(0, Math.max(0, path.lastIndexOf('/'))))
  }

  #refusalOfFolder(folder: string): string | undefined {
    if (folder === '') return undefined
    if (this.#folders.has(folder)) return this.#folders.get(folder)
    const above = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))
    const refusal = this.#refusalOfFolder(above) ?? this.#look(folder)
    this.#folders.set(folder, refusal)
    return refusal
  }

  #look(folder: string): string | undefined {
    try {
      const stats = lstatSync(this.absoluteOf(folder), { throwIfNoEntry: false })
      if (stats === undefined || stats.isDirectory()) return undefined
      return `${kindOf(stats)} stands in place of its folder ${folder}`
    } catch (error) {
      return `its folder ${folder} cannot be looked at (${codeOf(error)})`
    }
  }
}

/** The folder without links, as far as it is there. */
function existingPart(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    // Not there yet, or not for us to look into: what is above it decides.
    const parent = dirname(folder)
    /* v8 ignore next -- @preserve only on Windows may the top of a path be missing */
    return parent === folder ? folder : join(existingPart(parent), basename(folder))
  }
}

/** As the disk spells it, where it knows more than one spelling; a link keeps its own name. */
function nameOnDisk(path: string): string {
  const name = basename(path)
  try {
    return lstatSync(path).isSymbolicLink() ? name : basename(realpathSync.native(path))
  } catch {
    // Not there, or not for us to look at.
    return name
  }
}

function isOwn(absolute: string, { own }: Project): boolean {
  if (own.length === 0) return false
  const path = absolute.toLowerCase()
  return own.some((place) => path === place || path.startsWith(place + sep))
}

function ownPlaces(layout: Layout): string[] {
  const { root, home } = layout
  const inRoot = ['.transcripts', '.sidechains', '.checkpoints', '.claims', '.spool', '.archive']
  const more = ['.trash', '.imports', 'agents', 'retention.jsonl', 'relocations.jsonl']
  const inHome = ['file-history', '.archive', '.trash', 'agents', 'history.jsonl']
  const places = [
    ...[...inRoot, ...more].map((name) => join(existingPart(root), name)),
    ...inHome.map((name) => join(existingPart(home), name)),
  ]
  return places.map((place) => place.toLowerCase())
}

function refused(path: string, why: string): SessionError {
  return new SessionError('ERR_UNSAFE_PATH', `${path} is not saved: ${why}`, { path })
}
