// An esbuild plugin that puts proper-lockfile and write-file-atomic inside what is built. Both are
// CommonJS: left outside, another bundler would turn their `require('fs')` into a call that fails in
// an ES module, or would not find them at all because they are loaded at their first use.

import { readFileSync } from 'node:fs'
import { builtinModules, createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const fileIn = (name) => fileURLToPath(new URL(name, import.meta.url))

const PACKAGES = '(proper-lockfile|retry|write-file-atomic)'
const BUILTIN = new RegExp(`^(node:)?(${builtinModules.join('|')})$`)

export const packagesInside = {
  name: 'packages-inside',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/packages\.js$/ }, () => ({ path: fileIn('packages.ts') }))
    onResolve({ filter: new RegExp(`^${PACKAGES}$`) }, ({ path, resolveDir }) => ({
      path: createRequire(join(resolveDir, 'x.js')).resolve(path),
    }))
    onResolve({ filter: /^signal-exit$/ }, () => ({ path: fileIn('no-exit-hook.cjs') }))
    // graceful-fs is the default file system of proper-lockfile, which gets another one.
    onResolve({ filter: /^graceful-fs$/ }, () => ({ path: 'fs', namespace: 'builtin' }))
    onResolve({ filter: BUILTIN }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: 'builtin' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
    // An ES module has no __filename; it only has to differ from other programs.
    onLoad({ filter: new RegExp(`node_modules/${PACKAGES}/.*\\.js$`) }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('__filename', "'jsonl-session'"),
    }))
  },
}
