// Spawned children and the command line are tested as they are shipped, so the package is built
// once before any test runs. `npm run types` checks types.

import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Each project of vitest.config.ts loads this module anew, in one process.
const state = globalThis as { isBuilt?: boolean }

export default function build(): void {
  if (state.isBuilt) return
  state.isBuilt = true
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  // Removes chunks of an earlier build.
  rmSync(`${cwd}/dist/bin`, { recursive: true, force: true })
  execFileSync('npm', ['run', '--silent', 'build:unchecked'], { cwd, stdio: 'inherit' })
}
