// Each makes a bundle of program.mjs, in a folder of its own. Those that are installed here are loaded
// when they are used, because they may be missing.

import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export function bundlers({ folder, modules, bunTarget }) {
  const program = join(folder, 'program.mjs')
  const outOf = (name) => join(folder, `out-${name}`)
  const load = (name) => {
    const path = createRequire(join(modules, 'x.js')).resolve(name)
    return import(pathToFileURL(path).href)
  }
  const bun = join(modules, '@oven', `bun-${bunTarget}`, 'bin/bun')
  const runBun = (...args) => execFileSync(bun, ['build', program, ...args], { stdio: 'pipe' })

  const withEsbuild = (format, entry) => ({
    name: `esbuild (${format})`,
    needs: [],
    async build() {
      const { build } = await import('esbuild')
      const out = outOf(format)
      await build({
        entryPoints: [program],
        outfile: join(out, entry),
        bundle: true,
        platform: 'node',
        format,
        logLevel: 'error',
      })
      return { out, entry }
    },
  })

  return [
    withEsbuild('esm', 'program.mjs'),
    withEsbuild('cjs', 'program.cjs'),
    {
      name: 'Rollup',
      needs: [join(modules, 'rollup')],
      async build() {
        const { rollup } = await load('rollup')
        const { nodeResolve } = await load('@rollup/plugin-node-resolve')
        const out = outOf('rollup')
        const plugins = [nodeResolve({ preferBuiltins: true })]
        const bundle = await rollup({ input: program, plugins, external: /^node:/, onwarn() {} })
        await bundle.write({ dir: out, format: 'esm', entryFileNames: '[name].mjs' })
        await bundle.close()
        return { out, entry: 'program.mjs' }
      },
    },
    {
      name: 'Vite (ssr)',
      needs: [join(modules, 'vite')],
      async build() {
        const { build } = await load('vite')
        const out = outOf('vite')
        await build({
          root: folder,
          configFile: false,
          logLevel: 'silent',
          ssr: { noExternal: true },
          build: { ssr: program, outDir: out },
        })
        return { out, entry: 'program.mjs' }
      },
    },
    {
      name: 'Bun (bundle)',
      needs: [bun],
      async build() {
        const out = outOf('bun')
        runBun('--target', 'node', '--outfile', join(out, 'program.mjs'))
        return { out, entry: 'program.mjs' }
      },
    },
    {
      name: 'Bun (--compile)',
      needs: [bun],
      async build() {
        const out = outOf('compiled')
        runBun('--compile', '--outfile', join(out, 'program'))
        return { out, entry: 'program', command: [] }
      },
    },
  ]
}
