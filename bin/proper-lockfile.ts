// proper-lockfile inside the bundle, without its dependencies that the command line does not need
// (see bundle.mjs), which halves the time to load it.

type ProperLockfile = typeof import('proper-lockfile')

declare const require: (name: 'proper-lockfile') => ProperLockfile

/** Replaces the one of lib/log/lock, which finds the installed package. */
export function loadProperLockfile(): ProperLockfile {
  return require('proper-lockfile')
}
