// The library as a few files, one for each door of the package. Loading four hundred small modules
// takes five times as long, and the harness that does it waits for it at every start. It stays
// readable, and packages stay outside. Tests find the rooms one by one in dist/rooms.

import { readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

const OUT = 'dist/lib'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const doors = Object.values(manifest.exports)
  .map((target) => target.default)
  .filter((file) => file !== undefined)
  .map((file) => file.slice(`./${OUT}/`.length, -'.js'.length))

// Those of an earlier build.
rmSync(`${OUT}/chunks`, { recursive: true, force: true })

await build({
  entryPoints: doors.map((door) => ({ in: `lib/${door}.ts`, out: door })),
  outdir: OUT,
  chunkNames: 'chunks/[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
})
