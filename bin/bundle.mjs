// The command line as two files: one that knows the version, and one with all the rest. Loading
// sixty small modules takes longer than most commands, and CommonJS starts faster than ESM. What
// is loaded by name at run time (watchers, schemas, the addon) stays outside.

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const beside = (name) => fileURLToPath(new URL(name, import.meta.url))

const shared = {
  outdir: 'dist/bin',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minify: true,
  logLevel: 'warning',
}

await build({
  ...shared,
  entryPoints: ['bin/jsonl-session.ts'],
  supported: { 'dynamic-import': false },
  plugins: [
    {
      name: 'the-rest-is-another-file',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\/main\.js$/ }, () => ({
          path: './main.cjs',
          external: true,
        })),
    },
  ],
})

await build({
  ...shared,
  entryPoints: ['bin/main.ts'],
  external: ['fs-native-extensions', 'chokidar', 'zod', '@modelcontextprotocol/server'],
  // graceful-fs is its default file system, and we hand it another one.
  alias: { 'graceful-fs': 'node:fs', 'signal-exit': beside('no-exit-hook.cjs') },
  plugins: [
    {
      name: 'proper-lockfile-inside',
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/load-proper-lockfile\.js$/ }, () => ({
          path: beside('proper-lockfile.ts'),
        })),
    },
  ],
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
})
