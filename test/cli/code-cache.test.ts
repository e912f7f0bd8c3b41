// The code that V8 made of a command is kept beside it. It must never be used for another text,
// nor keep a command from working.

import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'
import { BINARY } from './command-line.js'

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

let folder: string
let program: string
let cache: string

beforeEach((t) => {
  folder = temporaryFolder(t)
  program = join(folder, 'bin', 'jsonl-session.cjs')
  cache = join(folder, 'bin', 'code-cache')
  const isProgram = (path: string) => !path.includes('code-cache')
  cpSync(dirname(BINARY), dirname(program), { recursive: true, filter: isProgram })
  symlinkSync(NODE_MODULES, join(folder, 'node_modules'))
})

function call(args: readonly string[], { input = '', env = {} } = {}) {
  const store = ['--root', join(folder, 'store'), '--home', join(folder, 'store')]
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args, ...store], {
    input,
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const append = (uuid: string, env = {}) =>
  call(['append', 'demo', '--type', 'note', '--payload', '{}', '--uuid', uuid, '--json'], { env })

const keptIn = (path: string) => readdirSync(path).sort()

/** What stands there, and when it was put there. */
function kept(name: string) {
  const { ino, size } = statSync(join(cache, name))
  return { ino, size }
}

describe('the kept code of a command', () => {
  it('is made by the first call, used by the second and changes no answer', () => {
    const first = append('a')
    const [name, ...others] = keptIn(cache)
    expect(name).toBe(`append.cjs-append-${process.version}-${process.arch}`)
    expect(others).toEqual([])
    const made = kept(name!)
    const again = append('a')
    expect(first).toMatchObject({ status: 0, stderr: '' })
    expect(again).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(again.stdout)).toEqual({ ...JSON.parse(first.stdout), duplicate: true })
    expect(kept(name!)).toEqual(made)
  })

  it('is kept for each event of a hook', () => {
    const event = { session_id: 'demo', prompt: 'hello', source: 'startup' }
    const input = JSON.stringify(event)
    expect(call(['hook', 'UserPromptSubmit'], { input })).toMatchObject({ status: 0, stderr: '' })
    expect(call(['hook', 'SessionStart'], { input })).toMatchObject({ status: 0, stderr: '' })
    expect(
      keptIn(cache).map((name) => name.replace(`-${process.version}-${process.arch}`, '')),
    ).toEqual(['hook.cjs-SessionStart', 'hook.cjs-UserPromptSubmit'])
  })

  it('is not kept of the whole command line, which loads parts of itself later', () => {
    append('a')
    const before = keptIn(cache)
    for (const args of [
      ['verify', 'demo'],
      ['grep', '-E', 'no.e'],
      ['append', '--help'],
    ]) {
      expect(call(args)).toMatchObject({ stderr: '' })
    }
    expect(keptIn(cache)).toEqual(before)
  })

  it('is kept of programs only that call no import(), which they would not have', () => {
    const hot = join(dirname(BINARY), 'hot')
    for (const name of readdirSync(hot).filter((file) => file.endsWith('.cjs'))) {
      expect(readFileSync(join(hot, name), 'latin1')).not.toMatch(/\bimport\(/)
    }
  })

  it('is not used for another text of the program', () => {
    append('a')
    const [name] = keptIn(cache)
    const made = kept(name!)
    const path = join(folder, 'bin', 'hot', 'append.cjs')
    // Of the same length, which is all that V8 compares.
    writeFileSync(
      path,
      readFileSync(path, 'latin1').replaceAll('ERR_UUID_CONFLICT', 'ERR_UUID_CONFLIKT'),
    )
    const other = [
      'append',
      'demo',
      '--type',
      'note',
      '--payload',
      '{"b":1}',
      '--uuid',
      'a',
      '--json',
    ]
    expect(call(other).stderr).toContain('ERR_UUID_CONFLIKT')
    append('b')
    expect(kept(name!).ino).not.toBe(made.ino)
  })

  it.each([
    ['cut off', (path: string) => truncateSync(path, 5000)],
    ['empty', (path: string) => truncateSync(path, 0)],
    ['longer than it was', (path: string) => appendFileSync(path, 'more')],
    ['changed in one byte', (path: string) => flip(path, 40_000)],
    ['full of zeros', (path: string) => writeFileSync(path, Buffer.alloc(100_000))],
  ])('is made anew when it is %s', (_, damage) => {
    append('a')
    const [name] = keptIn(cache)
    const made = kept(name!)
    damage(join(cache, name!))
    expect(append('b')).toMatchObject({ status: 0, stderr: '' })
    expect(kept(name!).size).toBeGreaterThan(100_000)
    expect(kept(name!).ino).not.toBe(made.ino)
  })

  it('is done without where its folder cannot be written', () => {
    writeFileSync(cache, 'in the way')
    expect(append('a')).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(cache, 'utf8')).toBe('in the way')
  })

  it('is neither made nor used when Node is told to keep none', () => {
    append('a', { NODE_DISABLE_COMPILE_CACHE: '1' })
    mkdirSync(cache)
    expect(keptIn(cache)).toEqual([])
  })

  it('is not made by a call that was wrong', () => {
    expect(call(['nonsense']).status).toBe(2)
    mkdirSync(cache)
    expect(keptIn(cache)).toEqual([])
  })
})

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = bytes[at]! ^ 0x10
  writeFileSync(path, bytes)
}
