// Mutation testing over all of lib/: draws mutants with a fixed seed, builds one copy of the tree
// that holds all of them behind a switch, and runs for each the test files that reach it.
//
//   npm run mutation -- --count 300 --seed 17            over all modules
//   npm run mutation -- --only lib/log/write --count 50  below one path
//   npm run mutation -- --tree ../other-checkout         of another tree
//
// A mutant counts as killed when a test fails or hangs with it. Spawned programs run it, too: the
// switch is an environment variable. Tests of the repository's own texts (tidy, docs) and
// the torture tests, which take too long for one mutant, do not count.

import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { findMutants } from './mutants.mjs'

const LEFT_OUT = /^test\/(?:tidy|docs|bench|torture).*\.test\.ts$/
const MAX_FILES_PER_MUTANT = 5

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '17' },
    only: { type: 'string', default: 'lib' },
    tree: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
    out: { type: 'string' },
    workers: { type: 'string', default: '1' },
    // Seconds for the tests of one mutant; a busy machine needs more.
    timeout: { type: 'string', default: '120' },
  },
})

const tree = resolve(values.tree)
const copy = fs.mkdtempSync(join(tmpdir(), 'jsonl-session-mutation-'))
const hitsFolder = join(copy, '.hits')
try {
  copyTree()
  const mutants = drawMutants()
  say(`${mutants.length} mutants drawn with seed ${values.seed} in ${copy}`)
  run('npm', ['run', '--silent', 'build:unchecked'])
  const durations = measureTests()
  const reached = readHits()
  let killed = 0
  for (const [done, mutant] of mutants.entries()) {
    mutant.state = judge(mutant, reached.get(mutant.id) ?? [], durations)
    if (mutant.state === 'killed') killed++
    say(`${done + 1}/${mutants.length} ${mutant.state} ${mutant.place} ${mutant.text}`)
  }
  report(mutants, killed)
} finally {
  fs.rmSync(copy, { recursive: true, force: true })
}

function copyTree() {
  const files = execFileSync('git', ['-C', tree, 'ls-files', '-z'], { encoding: 'utf8' })
  for (const file of files.split('\0').filter((name) => name !== '')) {
    const from = join(tree, file)
    if (!fs.existsSync(from) || LEFT_OUT.test(file)) continue
    fs.mkdirSync(dirname(join(copy, file)), { recursive: true })
    fs.copyFileSync(from, join(copy, file))
  }
  fs.symlinkSync(join(tree, 'node_modules'), join(copy, 'node_modules'))
  fs.mkdirSync(hitsFolder)
}

/** Puts the drawn mutants into the copy, each behind its switch. */
function drawMutants() {
  const all = []
  for (const name of fs.readdirSync(join(copy, values.only), { recursive: true })) {
    const path = join(values.only, name)
    if (!path.endsWith('.ts')) continue
    const text = fs.readFileSync(join(copy, path), 'utf8')
    all.push(...findMutants(ts, path, text))
  }
  all.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.start - b.start))
  const random = seededRandom(Number(values.seed))
  const drawn = []
  while (drawn.length < Number(values.count) && all.length > 0) {
    const [mutant] = all.splice(Math.floor(random() * all.length), 1)
    const overlaps = (other) =>
      other.path === mutant.path && other.start < mutant.end && mutant.start < other.end
    if (!drawn.some(overlaps)) drawn.push(mutant)
  }
  drawn.forEach((mutant, id) => {
    mutant.id = id
  })
  for (const path of new Set(drawn.map((mutant) => mutant.path))) install(path, drawn)
  writeSwitch()
  return drawn
}

function install(path, drawn) {
  const inFile = drawn.filter((mutant) => mutant.path === path).sort((a, b) => b.start - a.start)
  let text = fs.readFileSync(join(copy, path), 'utf8')
  for (const { id, start, end, switched } of inFile) {
    text = text.slice(0, start) + switched(`mutantSwitch(${id})`) + text.slice(end)
  }
  const from = relative(dirname(path), 'lib/mutant-switch.js')
  const line = `import { mutantSwitch } from '${from.startsWith('.') ? from : `./${from}`}'\n`
  fs.writeFileSync(join(copy, path), line + text)
}

function writeSwitch() {
  const text = `
import fs from 'node:fs'
const active = Number(process.env['MUTANT'] ?? -1)
const state = ((globalThis as any).mutantState ??= {
  hits: process.env['MUTANT_HITS'],
  seen: new Uint8Array(${values.count}),
})
export function mutantSwitch(id: number): boolean {
  if (state.seen[id] === 0) {
    state.seen[id] = 1
    if (state.hits !== undefined) fs.appendFileSync(state.hits, id + '\\n')
  }
  return id === active
}
`
  fs.writeFileSync(join(copy, 'lib/mutant-switch.ts'), text)
  // Which test file is running, for the process and for all that it spawns.
  const setup = `
import { join } from 'node:path'
import { expect } from 'vitest'
const folder = process.env['MUTANT_HITS_FOLDER']
if (folder !== undefined) {
  const path = expect.getState().testPath!
  const name = path.slice(${JSON.stringify(copy)}.length + 1).replaceAll('/', '@')
  const state = ((globalThis as any).mutantState ??= { seen: new Uint8Array(${values.count}) })
  state.hits = process.env['MUTANT_HITS'] = join(folder, name)
  state.seen.fill(0)
}
`
  fs.writeFileSync(join(copy, 'test/helpers/mutant-hits.ts'), setup)
  const config = join(copy, 'vitest.config.ts')
  const before = fs.readFileSync(config, 'utf8')
  const after = before.replace(/setupFiles: \[/, "setupFiles: ['test/helpers/mutant-hits.ts', ")
  if (before === after) throw new Error('vitest.config.ts has no setupFiles')
  fs.writeFileSync(config, after.replace(/globalSetup: \[[^\]]*\],?/, ''))
}

/** One run of all tests without any mutant: how long each file takes. Failing ones do not count. */
function measureTests() {
  const json = join(copy, 'tests.json')
  spawnSync(
    'npx',
    ['vitest', 'run', `--maxWorkers=${values.workers}`, '--reporter=json', `--outputFile=${json}`],
    { cwd: copy, env: { ...process.env, MUTANT_HITS_FOLDER: hitsFolder }, stdio: 'ignore' },
  )
  const durations = new Map()
  for (const file of JSON.parse(fs.readFileSync(json, 'utf8')).testResults) {
    const name = relative(copy, file.name)
    if (file.status !== 'passed') {
      say(`left out, fails without a mutant: ${name}`)
      continue
    }
    durations.set(name, file.endTime - file.startTime)
  }
  return durations
}

/** Mutant → test files that reach it. */
function readHits() {
  const reached = new Map()
  for (const name of fs.readdirSync(hitsFolder)) {
    const file = name.replaceAll('@', '/')
    for (const id of new Set(fs.readFileSync(join(hitsFolder, name), 'utf8').split('\n'))) {
      if (id !== '') reached.set(Number(id), [...(reached.get(Number(id)) ?? []), file])
    }
  }
  return reached
}

function judge(mutant, files, durations) {
  const module = mutant.path.split('/')[1]
  const isNear = (file) => Number(file.split('/')[1] === module)
  const chosen = files
    .filter((file) => durations.has(file))
    .sort((a, b) => isNear(b) - isNear(a) || durations.get(a) - durations.get(b))
    .slice(0, MAX_FILES_PER_MUTANT)
  if (chosen.length === 0) return 'unreached'
  const { status } = spawnSync(
    'npx',
    ['vitest', 'run', '--bail=1', `--maxWorkers=${values.workers}`, ...chosen],
    {
      cwd: copy,
      env: { ...process.env, MUTANT: String(mutant.id) },
      stdio: 'ignore',
      timeout: Number(values.timeout) * 1000,
      killSignal: 'SIGKILL',
    },
  )
  return status === 0 ? 'survived' : 'killed'
}

function report(mutants, killed) {
  const modules = new Map()
  for (const { path, state } of mutants) {
    const module = path.split('/')[1]
    const counts = modules.get(module) ?? { killed: 0, total: 0 }
    counts.total++
    if (state === 'killed') counts.killed++
    modules.set(module, counts)
  }
  for (const [module, counts] of [...modules].sort()) {
    console.log(`${module.padEnd(14)} ${counts.killed} of ${counts.total}`)
  }
  console.log(`killed ${killed} of ${mutants.length}: ${percent(killed, mutants.length)}`)
  if (values.out !== undefined) {
    const rows = mutants.map(({ place, text, state }) => ({ place, text, state }))
    fs.writeFileSync(values.out, `${JSON.stringify(rows, null, 2)}\n`)
  }
}

function percent(part, whole) {
  return `${((100 * part) / whole).toFixed(1)} %`
}

function run(command, args) {
  execFileSync(command, args, { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] })
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

/** mulberry32 */
function seededRandom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
