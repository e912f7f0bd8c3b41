// The command line as two files: one that knows the version, and one with all the rest. Loading
// sixty small modules takes longer than most commands, and CommonJS starts faster than ESM. What
// is loaded by name at run time (locks, watchers, schemas) stays outside.

import { build } from 'esbuild'

const shared = {
  outdir: 'dist/bin',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
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
        onResolve({ filter: /lib\/cli\/index\.js$/ }, () => ({
          path: './main.cjs',
          external: true,
        })),
    },
  ],
})

await build({
  ...shared,
  entryPoints: { main: 'lib/cli/index.ts' },
  external: ['proper-lockfile', 'fs-native-extensions', 'chokidar', 'zod'],
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
})
