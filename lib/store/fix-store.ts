// Mends what is harmless to mend in a store: modes that let others in, and what was left behind by
// a write that never ended. No log is touched, and nothing that is not known.

import { closeSync, constants, fchmodSync, fstatSync, openSync, rmSync } from 'node:fs'
import type { StoreFinding, StoreHealth } from './health.js'
import { isStillLeftover } from './health-entries.js'

export interface Fixed {
  readonly path: string
  readonly what: 'chmod' | 'remove'
  /** Why it could not be done; `null` when it was. */
  readonly error: string | null
}

// Windows has none of them.
/* v8 ignore next -- @preserve */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** One answer for each finding that has a fix. What changed since is left alone. */
export function fixStore(
  { findings }: Pick<StoreHealth, 'findings'>,
  { now = Date.now }: { now?: (() => number) | undefined } = {},
): Fixed[] {
  return findings.flatMap((finding) => fixOne(finding, now()) ?? [])
}

function fixOne({ path, fix }: StoreFinding, now: number): Fixed | undefined {
  if (fix === undefined) return undefined
  try {
    const isDone = fix === 'chmod' ? shutOut(path) : removeLeftover(path, now)
    return isDone ? { path, what: fix, error: null } : undefined
  } catch (error) {
    return { path, what: fix, error: (error as Error).message }
  }
}

/** By a descriptor, so that nobody can put another file in its place meanwhile. */
function shutOut(path: string): boolean {
  const fd = openSync(path, FLAGS)
  try {
    const stats = fstatSync(fd)
    fchmodSync(fd, stats.mode & (stats.isDirectory() ? 0o700 : 0o600))
    return true
  } finally {
    closeSync(fd)
  }
}

function removeLeftover(path: string, now: number): boolean {
  if (!isStillLeftover(path, now)) return false
  rmSync(path)
  return true
}
