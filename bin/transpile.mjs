// Puts lib/ module by module into dist/modules, without checking types: tests and benchmarks load
// single modules from there. `npm run build` does the same with tsc, and adds the declarations.

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const OUT = 'dist/modules'

rmSync(OUT, { recursive: true, force: true })
await build({
  entryPoints: readdirSync('lib', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('lib', name)),
  outdir: OUT,
  outbase: '.',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
})
