// npm run coverage:cli -- [test file or folder …]
//
// Branch coverage of the command line and of MCP, which are tested as they are shipped: as a built
// program in processes of its own, where Vitest does not look. A build with source maps is run
// instead, every process leaves what V8 counted in it (NODE_V8_COVERAGE), and that is brought back
// to the source and put together with what Vitest counted in its own. What no test runs through is
// listed in coverage/cli/missed.txt.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseAstAsync } from 'vitest/node'

// What Vitest itself does this with comes with it.
const ofVitest = createRequire(import.meta.resolve('@vitest/coverage-v8'))
const load = (name) => import(pathToFileURL(ofVitest.resolve(name)).href)
const { mergeProcessCovs } = (await load('@bcoe/v8-coverage')).default
const { default: toIstanbul } = await load('ast-v8-to-istanbul')

const ROOMS = ['bin/', 'lib/cli/', 'lib/mcp/']
const TESTS = ['test/cli', 'test/mcp', 'test/hooks']
const FOLDER = resolve('coverage/cli')
const PACKAGE = join(FOLDER, 'package')
const PROGRAM = join(PACKAGE, 'dist/bin')

/** Of each file: where a branch stands → how often each of its ways was taken. */
const branches = new Map()

const tests = process.argv.slice(2)
build()
const status = runTests(tests.length === 0 ? TESTS : tests)
add(readJson(join(FOLDER, 'in-process/coverage-final.json')))
for (const script of countedInChildren()) add(await inSource(script))
print()
process.exitCode = status

function build() {
  rmSync(FOLDER, { recursive: true, force: true })
  if (run(process.execPath, ['bin/bundle.mjs', PROGRAM]) !== 0) process.exit(1)
  for (const name of ['dist/lib', 'node_modules', 'package.json']) {
    symlinkSync(resolve(name), join(PACKAGE, name))
  }
  // Code that V8 made earlier does not count its branches: where its folder should be is a file.
  writeFileSync(join(PROGRAM, 'code-cache'), '')
  mkdirSync(join(FOLDER, 'children'))
}

function runTests(filters) {
  const config = join(import.meta.dirname, 'vitest.config.ts')
  const args = ['vitest', 'run', '--root', '.', '--config', config, '--coverage', ...filters]
  return run('npx', args, { COVERAGE_FOLDER: FOLDER })
}

function run(command, args, env = {}) {
  return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status
}

/** What all processes together counted in each of our scripts, and in copies that tests made. */
function countedInChildren() {
  const folder = join(FOLDER, 'children')
  const paths = readdirSync(folder).map((name) => join(folder, name))
  let merged = { result: [] }
  // All at once they would not fit into memory, and one by one it takes minutes.
  while (paths.length > 0)
    merged = mergeProcessCovs([merged, ...paths.splice(0, 64).map(ownScripts)])
  return merged.result
}

function ownScripts(path) {
  const result = readJson(path).result.flatMap((script) => {
    const [, url] = /\/dist\/bin\/((?:hot\/)?[\w-]+\.cjs)$/.exec(script.url) ?? []
    return url === undefined ? [] : { ...script, url }
  })
  return { result }
}

async function inSource({ url, functions }) {
  const path = join(PROGRAM, url)
  const code = readFileSync(path, 'utf8')
  return toIstanbul({
    code,
    ast: await parseAstAsync(code),
    sourceMap: readJson(`${path}.map`),
    wrapperLength: 0,
    coverage: { url: pathToFileURL(path).href, functions },
  })
}

/**
 * Two builds of one source agree on the lines of its branches and on their order there, but not on
 * their columns; so they cannot be put together as whole reports.
 */
function add(report) {
  for (const [path, { branchMap, b: counts }] of Object.entries(report)) {
    const name = relative('.', path)
    if (!name.endsWith('.ts') || !ROOMS.some((room) => name.startsWith(room))) continue
    const known = branches.get(name) ?? new Map()
    branches.set(name, known)
    const lines = readFileSync(path, 'utf8').split('\n')
    const seen = []
    for (const [id, { type, loc }] of Object.entries(branchMap)) {
      const kind = `${type === 'if' ? lineOfIf(lines, loc.start) : loc.start.line} ${type}`
      const place = `${kind} ${seen.filter((it) => it === kind).length + 1}`
      seen.push(kind)
      const before = known.get(place) ?? []
      known.set(
        place,
        counts[id].map((count, way) => count + (before[way] ?? 0)),
      )
    }
  }
}

/** An `else if` may be said to begin where the line before it ends. */
function lineOfIf(lines, { line, column }) {
  return /\bif\b/.test(lines[line - 1].slice(column)) ? line : line + 1
}

function print() {
  const ways = [...branches].flatMap(([file, known]) =>
    [...known].flatMap(([place, counts]) =>
      counts.map((count, way) => ({
        file,
        isTaken: count > 0,
        text: `${file}:${place}, way ${way + 1}`,
      })),
    ),
  )
  const missed = ways.filter(({ isTaken }) => !isTaken).map(({ text }) => `${text}\n`)
  writeFileSync(join(FOLDER, 'missed.txt'), missed.join(''))
  for (const room of ROOMS) {
    const own = ways.filter(({ file }) => file.startsWith(room))
    const taken = own.filter(({ isTaken }) => isTaken)
    const share = ((100 * taken.length) / own.length).toFixed(1)
    console.log(`${room.padEnd(9)}${share.padStart(6)} % of ${own.length} branches`)
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
