// A program that a settings file names: whether it is there, and of which version it is.

import { realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { PACKAGE_NAME } from '../version.js'
import { readSmallText } from './text-source.js'

export interface InstalledProgram {
  /** Where it is; `null` when there is no such file. */
  readonly path: string | null
  /** Of the package it belongs to; `null` when that cannot be told. */
  readonly version: string | null
}

// From `dist/bin/` to the package, with a level to spare.
const LEVELS_MAX = 4

/** By its path, or by its name in the folders of a PATH. */
export function findInstalledProgram(program: string, searchPath = ''): InstalledProgram {
  const folders = isAbsolute(program) ? [''] : searchPath.split(delimiter).filter(isAbsolute)
  /* v8 ignore next -- @preserve only Windows has two names */
  const names = process.platform === 'win32' ? [program, `${program}.cmd`] : [program]
  const path = folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile() === true)
  if (path === undefined) return { path: null, version: null }
  return { path, version: versionOf(realpathSync.native(path)) }
}

function versionOf(path: string): string | null {
  let folder = dirname(path)
  for (let level = 0; level < LEVELS_MAX; level++, folder = dirname(folder)) {
    const description = join(folder, 'package.json')
    if (statSync(description, { throwIfNoEntry: false })?.isFile() !== true) continue
    const { name, version } = fieldsIn(description)
    return name === PACKAGE_NAME && typeof version === 'string' ? version : null
  }
  return null
}

function fieldsIn(path: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(readSmallText(path).toString()) as Record<string, unknown> | null) }
  } catch {
    // Whoever damaged it will hear of it elsewhere.
    return {}
  }
}
