// Fixes what is safe to fix in a store: modes that give other users access, and leftovers of
// interrupted writes. Logs and unknown files are never touched.

import { constants } from 'node:fs'
import type { StoreContext } from '../context.js'
import { isStillLeftover } from './check-entries.js'
import type { StoreFinding, StoreHealth } from './findings.js'

export interface FixStoreOptions {
  /**
   * Do it; otherwise only list the fixes.
   *
   * @default false
   */
  apply?: boolean | undefined
}

export interface Fix {
  readonly path: string
  readonly what: 'chmod' | 'remove'
  /** Why it could not be done; `null` otherwise. */
  readonly error: string | null
}

export interface StoreFixes {
  readonly applied: boolean
  /** One for each finding that has a fix; not what has changed since. */
  readonly fixes: readonly Fix[]
}

// Windows has none of them.
/* v8 ignore next -- @preserve */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export function fixStore(
  store: StoreContext,
  health: Pick<StoreHealth, 'findings'>,
  options: FixStoreOptions = {},
): StoreFixes {
  const { apply = false } = options
  const fixes = health.findings.flatMap((finding) => fixFinding(store, finding, apply) ?? [])
  return { applied: apply, fixes }
}

function fixFinding(
  store: StoreContext,
  { path, fix }: StoreFinding,
  apply: boolean,
): Fix | undefined {
  if (fix === undefined || (fix === 'remove' && !isStillLeftover(store, path))) return undefined
  try {
    if (apply && fix === 'chmod') restrictMode(store, path)
    if (apply && fix === 'remove') store.env.fs.rmSync(path)
    return { path, what: fix, error: null }
  } catch (error) {
    return { path, what: fix, error: (error as Error).message }
  }
}

/** By a descriptor, so that no other process can replace the file meanwhile. */
function restrictMode({ env: { fs } }: StoreContext, path: string): void {
  const fd = fs.openSync(path, FLAGS)
  try {
    const stats = fs.fstatSync(fd)
    fs.fchmodSync(fd, stats.mode & (stats.isDirectory() ? 0o700 : 0o600))
  } finally {
    fs.closeSync(fd)
  }
}
