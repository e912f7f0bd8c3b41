// Spawned children and the command line are tested as they are shipped, so the package is built
// once before any test runs.

import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export default function build(): void {
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  // Chunks of an earlier build would lie beside the new ones.
  rmSync(`${cwd}/dist/bin`, { recursive: true, force: true })
  execFileSync('npm', ['run', '--silent', 'build'], { cwd, stdio: 'inherit' })
}
