// The writer and the library as one file: loading fifty of them is most of the life of a process
// that is about to be killed.

import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { pathOfChild } from '../child.js'

// Within node_modules, where packages are found and nothing is published.
const CACHE = new URL('../../../node_modules/.cache/jsonl-session/', import.meta.url)

/** Its path. `name` keeps bundlers that run at the same time apart. */
export async function bundledWriter(name: string): Promise<string> {
  const outfile = fileURLToPath(new URL(`writer-${name}.mjs`, CACHE))
  mkdirSync(dirname(outfile), { recursive: true })
  await build({
    entryPoints: [pathOfChild('writer')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['fs-native-extensions', 'chokidar', 'proper-lockfile', '*/append-transcript.js'],
  })
  return outfile
}
