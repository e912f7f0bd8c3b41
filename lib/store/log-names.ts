// Which logs lie in a folder. Locks, temporary files and whatever else people put there are none.

import { readdirSync } from 'node:fs'
import { toReadError } from '../errors.js'

export const LOG_EXTENSION = '.jsonl'

export function isLogName(name: string): boolean {
  return name.endsWith(LOG_EXTENSION) && !name.startsWith('.')
}

/** In the order of their names; none while the folder does not exist. */
export function logNamesIn(folder: string): string[] {
  return namesIn(folder).filter(isLogName).sort()
}

/** Everything that is there, in no order. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw toReadError(cause, 'list', folder)
  }
}
