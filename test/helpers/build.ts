// Spawned children and the command line are tested as they are shipped, so the package is built
// once before any test runs. Its types are checked by a test of their own, with those of the tests.

import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export default function build(): void {
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  // Chunks of an earlier build would lie beside the new ones.
  rmSync(`${cwd}/dist/bin`, { recursive: true, force: true })
  execFileSync('npm', ['run', '--silent', 'build:unchecked'], { cwd, stdio: 'inherit' })
}
