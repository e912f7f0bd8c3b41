// A file that a user names to be written: what stands there is theirs.

import { isSessionError } from '../errors.js'
import { UsageError } from './command.js'

/** `advice` says what to do about a file that is there already. */
export async function refusingExisting<Result>(
  write: () => Promise<Result>,
  advice: string,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isSessionError(error, 'ERR_EXISTS')) throw error
    const { path } = error.details
    throw new UsageError(`${path} is there already; ${advice}`, { path: String(path) })
  }
}
