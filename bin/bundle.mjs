// The command line as one file and a few chunks: loading sixty small modules takes longer than
// most commands. What is loaded by name at run time (locks, watchers, schemas) stays outside.

import { build } from 'esbuild'

await build({
  entryPoints: ['bin/jsonl-session.ts'],
  outdir: 'dist/bin',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  external: ['proper-lockfile', 'fs-native-extensions', 'chokidar', 'zod'],
  // commander is CommonJS inside, and asks for `require`.
  banner: {
    js: "import { createRequire as nodeRequire } from 'node:module'; const require = nodeRequire(import.meta.url);",
  },
  logLevel: 'warning',
})
