// Which project a folder is: one spelling for all the ways to name it.

import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * The folder as an absolute path without links, in NFC. A folder that is gone, or not for us to
 * look into, keeps the spelling it was given.
 */
export function normalizeProject(path: string): string {
  if (typeof path !== 'string') throw new TypeError('The path of a project must be a string')
  const absolute = resolve(path)
  return withoutLinks(absolute).normalize('NFC')
}

function withoutLinks(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
