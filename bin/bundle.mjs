// The command line as a few files: one that knows the version, one for each command that scripts
// call for every event, and one with the rest. Loading sixty small modules takes longer than most
// commands, and so does compiling what is not used; CommonJS starts faster than ESM. Packages that
// are loaded at run time (watchers, schemas, patterns, the addon) stay outside.
//
// `node bin/bundle.mjs FOLDER` writes them there, not minified and with source maps, to measure
// coverage.

import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { packagesInside } from './inside.mjs'

const fileIn = (name) => fileURLToPath(new URL(name, import.meta.url))

const hotCommands = readdirSync(fileIn('hot')).map((file) => basename(file, '.ts'))

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
  // Not named in the code, or every process would record its map, too.
  sourcemap: measured === undefined ? false : 'external',
  logLevel: 'warning',
}

const commands = {
  ...shared,
  external: [
    'fs-native-extensions',
    'chokidar',
    'jsonc-parser',
    'zod',
    'ndjson',
    're2js',
    '@pydantic/genai-prices',
    '@modelcontextprotocol/server',
    'hono',
    '@hono/node-server',
  ],
}

// It creates stdout as it is loaded, only to ask for a terminal; lib/cli decides on colours.
const colorsThatDoNotAsk = {
  name: 'colors-that-do-not-ask',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/picocolors\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('(p.stdout || {}).isTTY', 'false'),
    })),
}

// For a dynamic import esbuild wraps each module in a function, which V8 then parses twice.
const theRestIsAnotherFile = {
  name: 'the-rest-is-another-file',
  setup: ({ onResolve }) => {
    const elsewhere = (path) => () => ({ path, external: true })
    onResolve({ filter: /^\.\/main\.js$/ }, elsewhere('../main.cjs'))
    onResolve({ filter: /\/format\/schemas\.js$/ }, elsewhere('../../lib/format/schemas.js'))
  },
}

// Modules of Node that take longer to load than a hook may take for them; see bin/light.
const lightModules = {
  name: 'light-modules',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^node:(crypto|os|timers\/promises|zlib)$/ }, ({ path }) => ({
      path: fileIn(`light/${path.slice('node:'.length).replace('/', '-')}.ts`),
    }))
    onResolve({ filter: /^\.\/random\.js$/ }, () => ({ path: fileIn('light/random.ts') }))
  },
}

// One text for both ways to load it: `require` runs it as a module, and load-program.ts gets the
// function of a module without joining long texts.
const MODULE = 'exports, require, module, __filename, __dirname'
const asScriptOrModule = {
  banner: {
    js: `((run) => (typeof module === 'object' ? run(${MODULE}) : run))(function (${MODULE}) {`,
  },
  footer: { js: '})' },
}

// Files of an earlier build.
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
  ...asScriptOrModule,
  define: { 'import.meta.url': '__filename' },
  supported: { 'dynamic-import': false },
  plugins: [packagesInside, colorsThatDoNotAsk, theRestIsAnotherFile, lightModules],
})

await build({
  ...commands,
  entryPoints: ['bin/main.ts'],
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  plugins: [packagesInside],
})
