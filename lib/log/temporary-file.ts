// Files that take their real name when they are whole. Whoever dies before leaves a hidden one.

import { rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { newUuid } from './uuid-pool.js'

const ENDING = '.tmp'

/** In the same folder, so that it can be renamed. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${newUuid()}${ENDING}`)
}

export function isTemporaryOf(path: string, name: string): boolean {
  return name.startsWith(`.${basename(path)}.`) && name.endsWith(ENDING)
}

/** A disk that refuses even this has told worse already, or everything is done and this is litter. */
export function removeTemporary(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // It stays behind, hidden.
  }
}
