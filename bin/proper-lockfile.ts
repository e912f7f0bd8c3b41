// proper-lockfile inside the bundle. The command line is alone in its process, so what comes along
// with it for the sake of others stays away (see bundle.mjs), and with it half of its start.

type ProperLockfile = typeof import('proper-lockfile')

declare const require: (name: 'proper-lockfile') => ProperLockfile

/** Stands in for the one of lib/log/lock, in which it is looked up where the package is installed. */
export function loadProperLockfile(): ProperLockfile {
  return require('proper-lockfile')
}
