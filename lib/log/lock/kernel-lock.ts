// The kernel's own lock on the open log: it lives exactly as long as its holder, stopped or not.
// The addon is optional; without it everything below works in advisory mode.

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { NATIVE_TARGET } from '../../environment/index.js'

// Far behind any data, because Windows' locks are mandatory and would keep readers out.
const LOCK_OFFSET = 2 ** 52
const LOCK_BYTES = 1

const PACKAGE = 'fs-native-extensions'
const BINARY = `${PACKAGE}.node`

// Errors of file systems without locks. Every process that shares the file gets the same error.
const NOT_SUPPORTED = new Set(['ENOLCK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'])

/** The part of `fs-native-extensions` that is used here; it brings no types of its own. */
interface FsNativeExtensions {
  tryLock(fd: number, offset: number, length: number): boolean
  unlock(fd: number, offset: number, length: number): void
}

/** The binary inside that package: the same calls, but a busy lock is an error. */
interface Binding {
  tryLock(fd: number, offset: number, length: number, isExclusive: boolean): void
  unlock(fd: number, offset: number, length: number): void
}

let addon: FsNativeExtensions | undefined
let isLoaded = false

/** Whether this installation has the addon, and so a lock that cannot be robbed. */
export function hasKernelLock(): boolean {
  return loadAddon() !== undefined
}

/**
 * - `locked`: ours until released, or until the descriptor is closed
 * - `busy`: another process holds it, which is certainly alive
 * - `unavailable`: no addon, or a file system without locks
 */
export type KernelLockResult = 'locked' | 'busy' | 'unavailable'

/** Tries once. Waiting in the kernel could not be cancelled and would hold a pool thread. */
export function tryKernelLock(fd: number): KernelLockResult {
  const native = loadAddon()
  /* v8 ignore next -- @preserve only systems without a binary of the addon answer so */
  if (native === undefined) return 'unavailable'
  try {
    return native.tryLock(fd, LOCK_OFFSET, LOCK_BYTES) ? 'locked' : 'busy'
  } catch (error) {
    /* v8 ignore next -- @preserve only file systems without locks answer so */
    if (NOT_SUPPORTED.has(String((error as NodeJS.ErrnoException).code))) return 'unavailable'
    throw error
  }
}

export function releaseKernelLock(fd: number): void {
  loadAddon()?.unlock(fd, LOCK_OFFSET, LOCK_BYTES)
}

function loadAddon(): FsNativeExtensions | undefined {
  if (isLoaded) return addon
  isLoaded = true
  // Asking for it is enough to end a process of Bun or Deno.
  /* v8 ignore next -- @preserve only Bun, Deno and systems without a binary have none */
  if (NATIVE_TARGET === undefined) return undefined
  try {
    // A bundle in CommonJS has no address, and an ES module has no file name.
    /* v8 ignore next -- @preserve each kind of bundle has one of the two */
    const require = createRequire(typeof __filename === 'string' ? __filename : import.meta.url)
    /* v8 ignore next -- @preserve the package finds its binary where it is stored elsewhere */
    addon = loadBinary(require, NATIVE_TARGET) ?? (require(PACKAGE) as FsNativeExtensions)
  } catch {
    // Not installed, or no binary for this platform: both mean advisory mode.
  }
  return addon
}

// The package finds its binary by a search that takes ten times as long as loading it, which a
// hook would pay for every event. Where the binary is not where it is today, the package finds it.
function loadBinary(require: NodeJS.Require, target: string): FsNativeExtensions | undefined {
  try {
    const folder = dirname(require.resolve(`${PACKAGE}/package.json`))
    const binding = require(join(folder, 'prebuilds', target, BINARY)) as Binding
    return { tryLock: (...range) => tryLock(binding, ...range), unlock: binding.unlock }
  } catch {
    return undefined
  }
}

function tryLock(binding: Binding, fd: number, offset: number, length: number): boolean {
  try {
    binding.tryLock(fd, offset, length, true)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false
    throw error
  }
}
