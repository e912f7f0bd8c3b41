// The loader of a program and its cached code, in this process; code-cache.test.ts tests the built
// commands.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { findCodeFolder, loadProgram } from '../../bin/load-program.js'
import { temporaryFolder } from '../helpers/temporary.js'

let path: string
let folder: string

beforeEach((t) => {
  const home = temporaryFolder(t)
  path = join(home, 'program.cjs')
  folder = join(home, 'kept')
  writeProgram(`exports.add = (a, b) => a + b; exports.place = __filename; require('fs')`)
})

/** As bin/bundle.mjs writes a program. */
function writeProgram(text: string): void {
  const names = 'exports, require, module, __filename'
  writeFileSync(
    path,
    `((run) => typeof module === 'object' ? run(${names}) : run)(function (${names}) {${text}})`,
  )
}

interface Calculator {
  readonly add: (a: number, b: number) => number
  readonly place: string
}

const load = (use = 'any') => loadProgram<Calculator>(path, { use, folder })

function keptPath(): string {
  const [name] = readdirSync(folder)
  return join(folder, name!)
}

it('a program behaves the same with cached code and without it', () => {
  const first = load()
  expect(first.exports.add(1, 2)).toBe(3)
  first.keepCode()
  const made = readFileSync(keptPath())
  const second = load()
  expect(second.exports.add(1, 2)).toBe(3)
  expect(second.exports.place).toBe(path)
  writeFileSync(keptPath(), made)
  second.keepCode()
  expect(readFileSync(keptPath())).toEqual(made)
  expect(readdirSync(folder)).toHaveLength(1)
})

it('code of another text, or changed code, is written again', () => {
  load().keepCode()
  const made = readFileSync(keptPath())
  const changed = Buffer.from(made)
  changed[changed.length - 1]! ^= 1
  writeFileSync(keptPath(), changed)
  load().keepCode()
  expect(readFileSync(keptPath()).length).toBe(made.length)
  expect(readFileSync(keptPath())).not.toEqual(changed)
  writeProgram('exports.add = (a, b) => a - b')
  expect(load().exports.add(1, 2)).toBe(-1)
})

it.each([
  ['in the middle of the first copy', (bytes: Buffer) => bytes.length / 4],
  ['in the middle of the second copy', (bytes: Buffer) => (bytes.length * 3) / 4],
])('code with one changed bit %s is not run', (_, placeIn) => {
  load().keepCode()
  const changed = readFileSync(keptPath())
  changed[Math.floor(placeIn(changed))]! ^= 1
  writeFileSync(keptPath(), changed)
  const program = load()
  expect(program.exports.add(1, 2)).toBe(3)
  program.keepCode()
  expect(readFileSync(keptPath())).not.toEqual(changed)
})

it('code that was cut off is not run', () => {
  load().keepCode()
  const made = readFileSync(keptPath())
  for (const length of [0, 50, 96, made.length / 2, made.length - 1]) {
    const cut = made.subarray(0, length)
    writeFileSync(keptPath(), cut)
    const program = load()
    expect(program.exports.add(1, 2)).toBe(3)
    program.keepCode()
    expect(readFileSync(keptPath())).not.toEqual(cut)
  }
})

it('the first runs add what they compiled, if they are asked to, and later ones do not', () => {
  const body = 'return [a, b].map((value) => value * 2).reduce((sum, value) => sum + value) / 2'
  writeProgram(`exports.add = (a, b) => { ${body} }`)
  const runOnce = () => {
    const program = loadProgram<Calculator>(path, { use: 'any', folder, runs: 2 })
    program.keepCode()
    return readFileSync(keptPath())
  }
  const runs = [runOnce(), runOnce(), runOnce()]
  expect(runs[1]).not.toEqual(runs[0])
  expect(runs[2]).toEqual(runs[1])
})

it('a program finds modules of Node and packages', () => {
  writeProgram(`exports.kinds = [typeof require('path').join, typeof require('esbuild').build]`)
  // This folder has no packages.
  expect(() => load()).toThrow(/Cannot find module 'esbuild'/)
  writeProgram(`exports.kinds = [typeof require('path').join, typeof require('node:os').homedir]`)
  expect(load().exports).toEqual({ kinds: ['function', 'function'] })
})

it('without a folder nothing is read or written', () => {
  load().keepCode()
  writeFileSync(keptPath(), 'untouched')
  const program = loadProgram<Calculator>(path, { use: 'any', folder: undefined })
  expect(program.exports.add(1, 2)).toBe(3)
  program.keepCode()
  expect(readFileSync(keptPath(), 'utf8')).toBe('untouched')
})

it.each([
  ['linux', { HOME: '/home/ada' }, '/home/ada/.cache/jsonl-session'],
  [
    'linux',
    { HOME: '/home/ada', XDG_CACHE_HOME: '/var/cache/ada' },
    '/var/cache/ada/jsonl-session',
  ],
  ['linux', { HOME: '/home/ada', XDG_CACHE_HOME: 'cache' }, '/home/ada/.cache/jsonl-session'],
  ['darwin', { HOME: '/Users/ada' }, '/Users/ada/Library/Caches/jsonl-session'],
  ['linux', {}, undefined],
  ['linux', { HOME: '/home/ada', NODE_DISABLE_COMPILE_CACHE: '1' }, undefined],
  ['win32', { LOCALAPPDATA: '/Users/ada/AppData/Local' }, '/Users/ada/AppData/Local/jsonl-session'],
] as const)('on %s with %j the folder is %s', (platform, env, expected) => {
  expect(findCodeFolder(env, platform)).toBe(expected)
})

it('a program runs where the folder cannot be created', () => {
  writeFileSync(folder, 'a file')
  const program = load()
  expect(program.exports.add(1, 2)).toBe(3)
  expect(() => program.keepCode()).not.toThrow()
  expect(readFileSync(folder, 'utf8')).toBe('a file')
})
