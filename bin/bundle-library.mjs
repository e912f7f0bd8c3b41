// The library as a few files, one for each entry point of the package: loading four hundred small
// modules takes five times as long. It stays readable. Packages stay outside, except those
// that inside.mjs puts in. Tests use the modules in dist/modules.

import { readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'
import { packagesInside } from './inside.mjs'

const OUT = 'dist/lib'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const entryPoints = Object.values(manifest.exports)
  .map((target) => target.default)
  .filter((file) => file?.startsWith(`./${OUT}/`))
  .map((file) => file.slice(`./${OUT}/`.length, -'.js'.length))

// Chunks of an earlier build.
rmSync(`${OUT}/chunks`, { recursive: true, force: true })

await build({
  entryPoints: entryPoints.map((name) => ({ in: `lib/${name}.ts`, out: name })),
  outdir: OUT,
  chunkNames: 'chunks/[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  plugins: [packagesInside],
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
})
