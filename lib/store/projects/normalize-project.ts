// One spelling of a project's folder for all the ways to name it.

import { basename, dirname, join, parse, resolve, sep, win32 } from 'node:path'
import type { Environment, FileSystem } from '../../environment/index.js'
import type { StoreContext } from '../context.js'

/** Computes each answer once. */
export function cached<Answer>(compute: (text: string) => Answer): (text: string) => Answer {
  const known = new Map<string, Answer>()
  return (text) => {
    const answer = known.get(text) ?? compute(text)
    known.set(text, answer)
    return answer
  }
}

const probes = new WeakMap<Environment, CaseProbe>()

/**
 * The folder as an absolute path without links, in NFC, and case-folded where its volume ignores
 * case. Of a folder that does not exist or cannot be read, the existing part is resolved and the
 * rest keeps its spelling, so it is found again under the name it had.
 */
export function normalizeProject({ env }: StoreContext, path: string): string {
  if (typeof path !== 'string') throw new TypeError('The path of a project must be a string')
  const { existing, rest } = resolveExisting(env, absolutePath(env, path))
  const probe = probes.get(env) ?? new CaseProbe(env)
  probes.set(env, probe)
  return probe.fold(existing, rest).normalize('NFC')
}

function absolutePath({ host }: Environment, path: string): string {
  /* v8 ignore else -- @preserve the rest is for Windows only */
  if (host.platform !== 'win32') return resolve(path)
  return normalizeWindowsPath(resolve(withoutVerbatimPrefix(path)))
}

function resolveExisting(env: Environment, absolute: string): { existing: string; rest: string[] } {
  const rest: string[] = []
  for (let folder = absolute; ; folder = dirname(folder)) {
    const real = withoutLinks(env, folder)
    if (real !== undefined) return { existing: real, rest }
    if (dirname(folder) === folder) return { existing: folder, rest }
    rest.unshift(basename(folder))
  }
}

function withoutLinks({ fs, host }: Environment, path: string): string | undefined {
  try {
    const real = fs.realpathSync.native(path)
    /* v8 ignore next -- @preserve only Windows has other spellings */
    return host.platform === 'win32' ? normalizeWindowsPath(real) : real
  } catch {
    return undefined
  }
}

// Whether a volume ignores the case of names. The volume is probed, not the platform: macOS has
// case-sensitive volumes, Linux and Windows have folders that ignore case. Nothing is written.

export class CaseProbe {
  readonly #fs: Pick<FileSystem, 'lstatSync' | 'readdirSync'>
  /** By device: every name of a volume follows the same rule. */
  readonly #isCaseless = new Map<number, boolean>()

  constructor({ fs }: { readonly fs: Pick<FileSystem, 'lstatSync' | 'readdirSync'> }) {
    this.#fs = fs
  }

  /**
   * Folds the names that are on a volume that ignores case. `existing` exists and has no links;
   * `rest` follows it and does not exist.
   */
  fold(existing: string, rest: readonly string[]): string {
    const { root } = parse(existing)
    let folder = root
    const names: string[] = []
    for (const name of existing.slice(root.length).split(sep).filter(Boolean)) {
      names.push(this.#isCaselessAt(folder, name) ? foldCase(name) : name)
      folder = join(folder, name)
    }
    const device = this.#identityOf(folder)?.dev
    const isCaseless = device !== undefined && this.#isCaseless.get(device) === true
    for (const name of rest) names.push(isCaseless ? foldCase(name) : name)
    return root + names.join(sep)
  }

  #isCaselessAt(folder: string, name: string): boolean {
    const swapped = swapCase(name)
    if (swapped === name) return false
    const device = this.#identityOf(folder)?.dev
    if (device === undefined) return false
    const known = this.#isCaseless.get(device)
    if (known !== undefined) return known
    const isCaseless = this.#isSame(folder, name, swapped)
    this.#isCaseless.set(device, isCaseless)
    return isCaseless
  }

  #isSame(folder: string, name: string, swapped: string): boolean {
    const one = this.#identityOf(join(folder, name))
    const other = this.#identityOf(join(folder, swapped))
    if (one === undefined || other === undefined) return false
    if (one.ino !== other.ino || one.dev !== other.dev) return false
    // A folder mounted under two names is one inode with two names; then both are listed.
    const listed = this.#namesIn(folder)
    return !(listed.includes(name) && listed.includes(swapped))
  }

  /** Of the link itself; `undefined` when nothing is there or it cannot be read. */
  #identityOf(path: string): { readonly dev: number; readonly ino: number } | undefined {
    try {
      return this.#fs.lstatSync(path)
    } catch {
      return undefined
    }
  }

  #namesIn(folder: string): readonly string[] {
    try {
      return this.#fs.readdirSync(folder)
    } catch {
      // A folder may be traversable but not listable.
      return []
    }
  }
}

// The spelling of paths, without access to the disk.

const VERBATIM_DRIVE = /^\\\\[?.]\\(?=[a-z]:)/i
const VERBATIM_SHARE = /^\\\\[?.]\\UNC\\/i
const SHARE = /^\\\\[^\\?.][^\\]*\\[^\\]+/

/**
 * One spelling for what Windows takes for one path: `c:/x/`, `C:\x` and `\\?\C:\x`, and so for
 * shares. The case of folder names is kept: whether it matters depends on their volume.
 */
export function normalizeWindowsPath(path: string): string {
  const plain = win32.normalize(withoutVerbatimPrefix(path))
  const drive = plain.replace(/^[a-z](?=:)/, (letter) => letter.toUpperCase())
  // Names of hosts and of what they share have no case anywhere.
  const share = drive.replace(SHARE, (root) => root.toLowerCase())
  return /^(?:[A-Z]:)?\\$/.test(share) ? share : share.replace(/\\+$/, '')
}

/** `\\?\` disables the interpretation of dots and the length limit; it is not part of the name. */
export function withoutVerbatimPrefix(path: string): string {
  return path.replaceAll('/', '\\').replace(VERBATIM_SHARE, '\\\\').replace(VERBATIM_DRIVE, '')
}

/** The same text for all spellings that a volume without case takes for one name. */
export function foldCase(name: string): string {
  if (/^[\0-\x7f]*$/.test(name)) return name.toLowerCase()
  return Array.from(name, foldCharacter).join('')
}

/** With every letter in its other case; the name itself when it has no such letter. */
export function swapCase(name: string): string {
  return Array.from(name, (character) => {
    const lower = character.toLowerCase()
    const swapped = character === lower ? character.toUpperCase() : lower
    return foldCharacter(swapped) === foldCharacter(character) ? swapped : character
  }).join('')
}

// By character, since a sigma at the end of a word would otherwise differ from one in the middle.
function foldCharacter(character: string): string {
  const lower = character.toLowerCase()
  return lower.length === character.length ? lower : character
}
