// `npm run runtimes`: the built package on Node 20, 22 and 24, Bun and Deno, and as a bundle of
// esbuild, Rollup, Vite and Bun. Prints one line for each, and why one was skipped. With `--optional` it
// is no failure that they cannot be installed.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../helpers/install-packages.mjs'
import { bundlers } from './bundlers.mjs'
import { EXPECTED, runAlone, withProject } from './bundles.mjs'
import { trySteps } from './steps.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const MODULES = fileURLToPath(new URL('node_modules/', import.meta.url))

const target = `${process.platform}-${process.arch}`
const bunTarget = target.replace('arm64', 'aarch64')

const RUNTIMES = [
  ...[20, 22, 24].map((major) => ({
    name: `Node ${major}`,
    command: [`${MODULES}node-${major}-${target}/bin/node`],
  })),
  { name: 'Bun', command: [`${MODULES}@oven/bun-${bunTarget}/bin/bun`] },
  { name: 'Deno', command: [`${MODULES}@deno/${target}-glibc/deno`, 'run', '--allow-all'] },
]

let failures = 0

const problem = installPackages(HERE)
for (const { name, command } of RUNTIMES) {
  const [binary] = command
  if (!existsSync(binary)) {
    print('skipped', name, problem ?? `no package with its binary for ${target} is listed`)
    continue
  }
  const [version] = /\d+\.\d+\.\d+/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' }))
  await check(`${name.split(' ')[0]} ${version}`, () => trySteps(command))
}
await withProject(async (folder) => {
  for (const { name, needs, build } of bundlers({ folder, modules: MODULES, bunTarget })) {
    if (needs.every((path) => existsSync(path))) {
      await check(name, async () => {
        const { out, entry, command } = await build()
        return compare(runAlone(out, entry, command))
      })
    } else print('skipped', name, problem ?? `it is not available for ${target}`)
  }
})
if (problem !== undefined) console.log(problem)
const isComplete = problem === undefined || process.argv.includes('--optional')
process.exitCode = failures > 0 || !isComplete ? 1 : 0

async function check(name, run) {
  const start = performance.now()
  try {
    const text = await run()
    print('ok', name, `${text} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
  } catch (error) {
    failures++
    print('FAILED', name, error.message)
  }
}

function compare(found) {
  for (const [key, value] of Object.entries(EXPECTED)) {
    const [is, expected] = [found[key], value].map((one) => JSON.stringify(one))
    if (is !== expected) throw new Error(`${key} is ${is}, not ${expected}`)
  }
  return 'create, append, save files, follow, resume, search, verify, export'
}

function print(state, name, text) {
  console.log(`${state.padEnd(8)}${name.padEnd(24)}${text}`)
}
