// How many source files of lib/ one call runs through, counted by V8's precise coverage over the
// modules as the compiler wrote them (dist/modules). A file counts when at least one of its functions
// was called; loading a module does not count, so every call is made once before it is measured.
//
//   node bench/files-touched.mjs [--list] [--json] [--modules DIR]
//
// `--list` prints the files of each call. `--modules` measures another tree, for example
// `--modules ../before/dist/modules`.

import { mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, list: { type: 'boolean' }, modules: { type: 'string' } },
})
const modules = options.modules ?? fileURLToPath(new URL('../dist/modules', import.meta.url))
const lib = resolve(modules, 'lib')
const load = (name) => import(pathToFileURL(join(lib, name)).href)

const folder = mkdtempSync(join(tmpdir(), 'files-touched-'))
const store = { root: folder, home: folder }
const project = folder

const CALLS = [
  { name: 'session.append', limit: 20, prepare: prepareAppend },
  { name: 'hook UserPromptSubmit', limit: 60, prepare: prepareHook },
  { name: 'resume --json', limit: 70, prepare: prepareResume },
  { name: 'recover', limit: 25, prepare: prepareRecover },
]

const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const results = []
try {
  for (const { name, limit, prepare } of CALLS) {
    const { call, finish } = await prepare()
    await call()
    await takeFiles()
    await call()
    const { files, functions } = await takeFiles()
    await finish?.()
    results.push({ name, limit, files: files.length, functions, list: files })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
print(results)

async function prepareAppend() {
  const { createSession } = await load('index.js')
  const session = await createSession({ ...store, project, id: 'append' })
  await session.append({ type: 'user', payload: { content: 'Rename the key.' } })
  const event = { type: 'assistant', payload: { content: 'Done, in two files.' } }
  return { call: () => session.append(event), finish: () => session.close() }
}

async function prepareHook() {
  const { runHook } = await load('hooks/index.js')
  let prompts = 0
  const call = async () => {
    const fields = { session_id: 'hook', hook_event_name: 'UserPromptSubmit', cwd: project }
    const input = JSON.stringify({ ...fields, prompt: `Prompt ${++prompts}` })
    const answer = await runHook({
      store,
      io: { stdin: Readable.from([Buffer.from(input)]), env: {}, cwd: () => project },
      write: async () => {},
      report: fail,
    })
    if (answer.status !== 'written') throw new Error(`The hook wrote nothing: ${answer.status}`)
  }
  return { call }
}

async function prepareResume() {
  await recordSession('resume')
  const { main } = await load('cli/index.js')
  const argv = ['resume', 'resume', '--json', '--root', folder, '--home', folder]
  const call = async () => {
    let printed = ''
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        printed += chunk
        done()
      },
    })
    const stderr = new Writable({ write: (chunk) => fail(String(chunk)) })
    const listeners = { on() {}, once() {}, off() {} }
    const stdin = Readable.from([])
    const io = { stdin, stdout, stderr, env: {}, cwd: () => folder, ...listeners }
    const exitCode = await main(argv, io, {})
    if (exitCode !== 0 || printed === '') throw new Error(`resume ended with ${exitCode}`)
  }
  return { call }
}

async function prepareRecover() {
  await recordSession('recover')
  const { recover } = await load('index.js')
  const call = async () => {
    const found = await recover({ ...store, project, sessionKey: 'next' })
    if (found?.text === undefined) throw new Error('There was nothing to recover')
  }
  return { call }
}

/** A session of two turns that ended, with the checkpoint of its end. */
async function recordSession(id) {
  const { createSession } = await load('index.js')
  const session = await createSession({ ...store, project, id })
  for (const content of ['Rename the key.', 'Run the tests.']) {
    await session.prompt(content)
    await session.append({ type: 'assistant', payload: { content: 'Done.' } })
  }
  await session.close()
}

/** The files with a function that was called since the last time. */
async function takeFiles() {
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  let functions = 0
  const files = []
  for (const script of result) {
    if (!script.url.startsWith(pathToFileURL(lib).href)) continue
    const called = script.functions.filter((it) => it.functionName !== '' && it.ranges[0].count > 0)
    // Arrow functions without a name count when they are not the module itself.
    const whole = Math.max(...script.functions.map(({ ranges: [range] }) => range.endOffset))
    const arrows = script.functions.filter(
      ({ functionName, ranges: [range] }) =>
        functionName === '' &&
        range.count > 0 &&
        !(range.startOffset === 0 && range.endOffset === whole),
    )
    if (called.length + arrows.length === 0) continue
    functions += called.length + arrows.length
    files.push(relative(lib, fileURLToPath(script.url)).replace(/\.js$/, '.ts'))
  }
  return { files: files.sort(), functions }
}

function print(rows) {
  if (options.json) {
    process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
    return
  }
  const cells = rows.map(({ name, files, functions, limit, list }) => {
    return [name, files, limit, functions, byModule(list)].map(String)
  })
  const table = [['call', 'files', 'target', 'functions', 'modules'], ...cells]
  for (const [name, ...rest] of table) {
    const [files, target, functions, list] = rest
    const figures = [files.padStart(6), target.padStart(7), functions.padStart(10)].join('')
    console.log(`${name.padEnd(22)}${figures}  ${list}`)
  }
  if (!options.list) return
  for (const { name, list } of rows) console.log(`\n${name}\n  ${list.join('\n  ')}`)
}

function byModule(files) {
  const counts = new Map()
  for (const file of files) {
    const name = file.split('/')[0]
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
}

function fail(text) {
  throw new Error(text)
}
