// Which project a folder is: one spelling for all the ways to name it.

import { realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { CaseProbe } from './project-case.js'
import { normalizeWindowsPath, withoutVerbatimPrefix } from './project-path.js'

const probe = new CaseProbe()

/**
 * The folder as an absolute path without links, in NFC, and without case where its volume has
 * none. Of a folder that is gone, or not for us to look into, the part that is there is resolved
 * and the rest keeps its spelling; so it is found again under the name it had.
 */
export function normalizeProject(path: string): string {
  if (typeof path !== 'string') throw new TypeError('The path of a project must be a string')
  const { existing, rest } = resolveExisting(absolutePath(path))
  return probe.fold(existing, rest).normalize('NFC')
}

function absolutePath(path: string): string {
  /* v8 ignore else -- @preserve only Windows goes on from here */
  if (process.platform !== 'win32') return resolve(path)
  return normalizeWindowsPath(resolve(withoutVerbatimPrefix(path)))
}

function resolveExisting(absolute: string): { existing: string; rest: string[] } {
  const rest: string[] = []
  for (let folder = absolute; ; folder = dirname(folder)) {
    const real = withoutLinks(folder)
    if (real !== undefined) return { existing: real, rest }
    if (dirname(folder) === folder) return { existing: folder, rest }
    rest.unshift(basename(folder))
  }
}

function withoutLinks(path: string): string | undefined {
  try {
    const real = realpathSync.native(path)
    /* v8 ignore next -- @preserve only Windows has other spellings */
    return process.platform === 'win32' ? normalizeWindowsPath(real) : real
  } catch {
    return undefined
  }
}
