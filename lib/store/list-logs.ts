// The logs of a folder. Locks, temporary files and other files are ignored.

import { basename } from 'node:path'
import { toReadError } from '../errors.js'
import type { StoreContext } from './context.js'

export const LOG_EXTENSION = '.jsonl'

export function isLogName(name: string): boolean {
  return name.endsWith(LOG_EXTENSION) && !name.startsWith('.')
}

/** Sorted; empty while the folder does not exist. */
export function listLogNames(store: StoreContext, folder: string): string[] {
  return listNames(store, folder).filter(isLogName).sort()
}

/** All names of a folder, unsorted; empty while the folder does not exist. */
export function listNames({ env }: StoreContext, folder: string): string[] {
  try {
    return env.fs.readdirSync(folder)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw toReadError(cause, 'list', folder)
  }
}

/** The log that a changed path is about: a change of its lock means that it was opened or closed. */
export function watchedLogName(path: string): string | undefined {
  const name = basename(path).replace(/\.lock(?:\.owner)?$/, '')
  return isLogName(name) ? name : undefined
}
