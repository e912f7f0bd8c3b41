// The loader of a program and its kept code, in this process: what the built commands do with it
// is in code-cache.test.ts.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { loadProgram } from '../../bin/load-program.js'
import { temporaryFolder } from '../helpers/temporary.js'

let path: string
let folder: string

beforeEach((t) => {
  vi.stubEnv('NODE_DISABLE_COMPILE_CACHE', undefined)
  const home = temporaryFolder(t)
  path = join(home, 'program.cjs')
  folder = join(home, 'kept')
  writeFileSync(path, `exports.add = (a, b) => a + b; exports.place = __filename; require('fs')`)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

interface Calculator {
  readonly add: (a: number, b: number) => number
  readonly place: string
}

const load = (use = 'any') => loadProgram<Calculator>(path, { use, folder })

function keptPath(): string {
  const [name] = readdirSync(folder)
  return join(folder, name!)
}

it('a program is the same with its code and without it', () => {
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

it('code that was made of another text, or was changed, is made anew', () => {
  load().keepCode()
  const made = readFileSync(keptPath())
  const changed = Buffer.from(made)
  changed[changed.length - 1]! ^= 1
  writeFileSync(keptPath(), changed)
  load().keepCode()
  expect(readFileSync(keptPath()).length).toBe(made.length)
  expect(readFileSync(keptPath())).not.toEqual(changed)
  writeFileSync(path, 'exports.add = (a, b) => a - b')
  expect(load().exports.add(1, 2)).toBe(-1)
})

it('nothing is kept, nor read, where that is switched off', () => {
  load().keepCode()
  vi.stubEnv('NODE_DISABLE_COMPILE_CACHE', '1')
  const program = load()
  expect(program.exports.add(1, 2)).toBe(3)
  writeFileSync(keptPath(), 'untouched')
  program.keepCode()
  expect(readFileSync(keptPath(), 'utf8')).toBe('untouched')
})

it('a folder that cannot be made keeps no program from running', () => {
  writeFileSync(folder, 'a file')
  const program = load()
  expect(program.exports.add(1, 2)).toBe(3)
  expect(() => program.keepCode()).not.toThrow()
  expect(readFileSync(folder, 'utf8')).toBe('a file')
})
