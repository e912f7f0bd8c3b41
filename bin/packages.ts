// Replaces lib/log/packages.ts in everything that is built: the packages are inside, so that a bundle
// of the library works without node_modules, and without their own dependencies (see inside.mjs),
// which halves the time to load them. Each is executed at its first use.

type ProperLockfile = typeof import('proper-lockfile')
type WriteFileAtomic = typeof import('write-file-atomic')

declare const require: {
  (name: 'proper-lockfile'): ProperLockfile
  (name: 'write-file-atomic'): WriteFileAtomic
}

export function loadProperLockfile(): ProperLockfile {
  return require('proper-lockfile')
}

export function loadWriteFileAtomic(): WriteFileAtomic {
  return require('write-file-atomic')
}
