// npm run mutation -- [room or file …]   See README.md here.

import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const HERE = import.meta.dirname
const STRYKER = join(HERE, 'node_modules/@stryker-mutator/core/bin/stryker.js')
const ROOMS = ['lib/format', 'lib/chain', 'lib/log']

const wanted = process.argv.slice(2)
if (wanted.some((arg) => arg.startsWith('-'))) {
  console.error(
    'Usage: npm run mutation -- [room or file …]   e.g. chain, lib/log/lock, lib/log/tip.ts',
  )
  process.exit(2)
}
if (!existsSync(STRYKER)) run('npm', ['install', '--prefix', HERE])
const places = wanted.length === 0 ? ROOMS : wanted.map(placeOf)
for (const place of places) {
  const name = place.replaceAll(/[^a-z0-9]+/g, '-')
  const files = statSync(place).isDirectory() ? `${place}/**/*.ts` : place
  const env = { ...process.env, MUTATION_NAME: name, MUTATION_FILES: files }
  run(process.execPath, [STRYKER, 'run', join(HERE, 'stryker.config.mjs')], env)
}
rmSync(join(tmpdir(), 'jsonl-session-mutation', 'tests'), { recursive: true, force: true })

function placeOf(text) {
  const place = [text, join('lib', text)].find((path) => existsSync(path))
  if (place !== undefined) return place
  console.error(`There is no "${text}"`)
  process.exit(2)
}

function run(command, args, env = process.env) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env })
  if (status !== 0) process.exit(status ?? 1)
}
