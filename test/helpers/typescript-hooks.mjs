// Lets Node load our TypeScript files as they are: for programs beside the test line, which share
// code with the tests.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'

export async function resolve(specifier, context, nextResolve) {
  if (specifier.startsWith('.') && specifier.endsWith('.js')) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL)
    if (existsSync(url)) return { url: url.href, shortCircuit: true }
  }
  return nextResolve(specifier, context)
}

export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context)
  const sourcefile = fileURLToPath(url)
  const options = { loader: 'ts', target: 'node20', sourcefile, sourcemap: 'inline' }
  const { code } = transformSync(readFileSync(sourcefile, 'utf8'), options)
  return { format: 'module', source: code, shortCircuit: true }
}
