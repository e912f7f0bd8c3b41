import { basename } from 'node:path'
import { isLogName } from '../list-logs.js'

/** The log that a changed path is about: a change of its lock means that it was opened or closed. */
export function watchedLogName(path: string): string | undefined {
  const name = basename(path).replace(/\.lock(?:\.owner)?$/, '')
  return isLogName(name) ? name : undefined
}
