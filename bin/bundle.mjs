// The command line as a few files: one that knows the version, one for each command that scripts
// call for every event, and one with all the rest. Loading sixty small modules takes longer than
// most commands, and so does compiling what is not used; CommonJS starts faster than ESM. What is
// loaded by name at run time (watchers, schemas, patterns, the addon) stays outside.
//
// `node bin/bundle.mjs FOLDER` makes them there instead, as they were written and with source maps:
// for who measures what tests run through.

import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const beside = (name) => fileURLToPath(new URL(name, import.meta.url))

const hotCommands = readdirSync(beside('hot')).map((file) => basename(file, '.ts'))

const [measured] = process.argv.slice(2)

const shared = {
  outdir: measured ?? 'dist/bin',
  outbase: 'bin',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minify: measured === undefined,
  // Not named in the code, or every process would write its map down, too.
  sourcemap: measured === undefined ? false : 'external',
  logLevel: 'warning',
}

const commands = {
  ...shared,
  external: [
    'fs-native-extensions',
    'chokidar',
    'zod',
    'ndjson',
    're2js',
    'write-file-atomic',
    '@modelcontextprotocol/server',
  ],
  // graceful-fs is its default file system, and we hand it another one.
  alias: { 'graceful-fs': 'node:fs', 'signal-exit': beside('no-exit-hook.cjs') },
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
}

const properLockfileInside = {
  name: 'proper-lockfile-inside',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/load-proper-lockfile\.js$/ }, () => ({
      path: beside('proper-lockfile.ts'),
    })),
}

// It asks stdout for a terminal as it is loaded, and we tell it what to do with colours.
const colorsThatDoNotAsk = {
  name: 'colors-that-do-not-ask',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/picocolors\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('(p.stdout || {}).isTTY', 'false'),
    })),
}

// esbuild makes whatever is imported later, and all that this imports, run later too: a wrapper
// around each module, which V8 then reads twice.
const theRestIsAnotherFile = {
  name: 'the-rest-is-another-file',
  setup: ({ onResolve }) => {
    const elsewhere = (path) => () => ({ path, external: true })
    onResolve({ filter: /^\.\/main\.js$/ }, elsewhere('../main.cjs'))
    onResolve({ filter: /\/format\/schemas\.js$/ }, elsewhere('../../lib/format/schemas.js'))
  },
}

// Files that are gone, and what V8 made of the others.
rmSync(shared.outdir, { recursive: true, force: true })

await build({
  ...shared,
  entryPoints: ['bin/jsonl-session.ts'],
  external: ['*.cjs'],
  define: { HOT_COMMANDS: JSON.stringify(hotCommands) },
})

await build({
  ...commands,
  entryPoints: hotCommands.map((name) => ({ in: `bin/hot/${name}.ts`, out: `hot/${name}` })),
  supported: { 'dynamic-import': false },
  plugins: [properLockfileInside, colorsThatDoNotAsk, theRestIsAnotherFile],
})

await build({ ...commands, entryPoints: ['bin/main.ts'], plugins: [properLockfileInside] })
