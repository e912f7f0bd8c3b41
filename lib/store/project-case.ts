// Whether a volume tells names by their case. The volume is asked, not the platform: a Mac may
// have one that does, Linux and Windows folders that do not. Nothing is written to find out.

import { lstatSync, readdirSync } from 'node:fs'
import { join, parse, sep } from 'node:path'
import { foldCase, swapCase } from './project-path.js'

/** What the probe wants to know of a disk. */
export interface PathLook {
  /** `undefined` when nothing is there. A link is told apart from what it leads to. */
  identityOf(path: string): { readonly dev: number; readonly ino: number } | undefined
  namesIn(folder: string): readonly string[]
}

const systemLook: PathLook = {
  identityOf: (path) => {
    try {
      return lstatSync(path)
    } catch {
      // Not there, or not for us to see: either way nothing to compare with.
      return undefined
    }
  },
  namesIn: (folder) => {
    try {
      return readdirSync(folder)
    } catch {
      // A folder that may be passed but not listed.
      return []
    }
  },
}

export class CaseProbe {
  readonly #look: PathLook
  /** By device. Every name of a volume follows the same rule. */
  readonly #isCaseless = new Map<number, boolean>()

  constructor(look: PathLook = systemLook) {
    this.#look = look
  }

  /**
   * The path with the names folded that stand on a volume without case. `existing` is there and
   * has no links; `rest` follows it and is not there.
   */
  fold(existing: string, rest: readonly string[]): string {
    const { root } = parse(existing)
    let folder = root
    const names: string[] = []
    for (const name of existing.slice(root.length).split(sep).filter(Boolean)) {
      names.push(this.#isCaselessAt(folder, name) ? foldCase(name) : name)
      folder = join(folder, name)
    }
    const device = this.#look.identityOf(folder)?.dev
    const isCaseless = device !== undefined && this.#isCaseless.get(device) === true
    for (const name of rest) names.push(isCaseless ? foldCase(name) : name)
    return root + names.join(sep)
  }

  #isCaselessAt(folder: string, name: string): boolean {
    const swapped = swapCase(name)
    if (swapped === name) return false
    const device = this.#look.identityOf(folder)?.dev
    if (device === undefined) return false
    const known = this.#isCaseless.get(device)
    if (known !== undefined) return known
    const isCaseless = this.#isSame(folder, name, swapped)
    this.#isCaseless.set(device, isCaseless)
    return isCaseless
  }

  #isSame(folder: string, name: string, swapped: string): boolean {
    const one = this.#look.identityOf(join(folder, name))
    const other = this.#look.identityOf(join(folder, swapped))
    if (one === undefined || other === undefined) return false
    if (one.ino !== other.ino || one.dev !== other.dev) return false
    // One folder mounted under two names is the same inode twice; then both names are listed.
    const listed = this.#look.namesIn(folder)
    return !(listed.includes(name) && listed.includes(swapped))
  }
}
