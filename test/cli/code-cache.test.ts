// The code that V8 compiled from a command is kept in the user's cache. It must never be used for
// another text, nor keep a command from working.

import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import * as module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'
import { BINARY } from './command-line.js'

// Node 22.8 and later keep compiled code themselves.
const NODE_KEEPS_NONE = !('enableCompileCache' in module)

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

let folder: string
let program: string
let cache: string

beforeEach((t) => {
  folder = temporaryFolder(t)
  program = join(folder, 'bin', 'jsonl-session.cjs')
  cache = join(folder, 'cache', 'jsonl-session')
  cpSync(dirname(BINARY), dirname(program), { recursive: true })
  symlinkSync(NODE_MODULES, join(folder, 'node_modules'))
})

function call(args: readonly string[], { input = '', env = {} } = {}) {
  const store = ['--root', join(folder, 'store'), '--home', join(folder, 'store')]
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args, ...store], {
    input,
    env: { PATH: process.env['PATH'], XDG_CACHE_HOME: join(folder, 'cache'), ...env },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const append = (uuid: string, env = {}) =>
  call(['append', 'demo', '--type', 'acme:note', '--payload', '{}', '--uuid', uuid, '--json'], {
    env,
  })

const keptIn = (path: string) => readdirSync(path).sort()

/** Which file it is. */
function kept(name: string) {
  const { ino, size } = statSync(join(cache, name))
  return { ino, size }
}

describe.runIf(NODE_KEEPS_NONE)('the cached code of a command', () => {
  it('is written by the first call, used by the second and changes no answer', () => {
    const first = append('a')
    const [name, ...others] = keptIn(cache)
    expect(name).toMatch(/^append\.cjs-append-v[\d.]+-\w+-[0-9a-f]{8}$/)
    expect(statSync(cache).mode & 0o777).toBe(0o700)
    expect(statSync(join(cache, name!)).mode & 0o777).toBe(0o600)
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
    expect(call(['hooks', 'run', 'Stop'], { input })).toMatchObject({ status: 0, stderr: '' })
    expect(keptIn(cache).map((name) => name.split('-').slice(0, 3).join('-'))).toEqual([
      'hooks-run.cjs-SessionStart',
      'hooks-run.cjs-Stop',
      'hooks-run.cjs-UserPromptSubmit',
    ])
  })

  it('is not written for the whole command line, which uses import()', () => {
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

  it('is written only for programs without import(), which scripts with cached code lack', () => {
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
      'acme:note',
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
    ['longer than before', (path: string) => appendFileSync(path, 'more')],
    ['changed in one byte', (path: string) => flip(path, 40_000)],
    ['full of zeros', (path: string) => writeFileSync(path, Buffer.alloc(100_000))],
  ])('is written again when it is %s', (_, damage) => {
    append('a')
    const [name] = keptIn(cache)
    const made = kept(name!)
    damage(join(cache, name!))
    expect(append('b')).toMatchObject({ status: 0, stderr: '' })
    expect(kept(name!).size).toBeGreaterThan(100_000)
    expect(kept(name!).ino).not.toBe(made.ino)
  })

  it('is not needed: a command works where the folder cannot be created', () => {
    mkdirSync(dirname(cache))
    writeFileSync(cache, 'in the way')
    expect(append('a')).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(cache, 'utf8')).toBe('in the way')
  })

  it('is neither written nor used with NODE_DISABLE_COMPILE_CACHE', () => {
    append('a', { NODE_DISABLE_COMPILE_CACHE: '1' })
    expect(existsSync(cache)).toBe(false)
  })

  it('is not written by a wrong call', () => {
    expect(call(['append', 'demo']).status).toBe(2)
    expect(keptIn(cache)).toEqual([])
  })

  it.each([
    ['a folder that others can write', () => chmodSync(cache, 0o777)],
    ['a file that others can write', () => chmodSync(join(cache, keptIn(cache)[0]!), 0o666)],
  ])('is not used from %s', (_, open) => {
    append('a')
    const [name] = keptIn(cache)
    const path = join(cache, name!)
    const bytes = readFileSync(path)
    open()
    expect(append('b')).toMatchObject({ status: 0, stderr: '' })
    const isReplaced = !readFileSync(path).equals(bytes)
    const isClosed = (statSync(path).mode & 0o022) === 0
    expect(isReplaced || isClosed).toBe(true)
  })

  it('is not used through a link', () => {
    const elsewhere = join(folder, 'elsewhere')
    mkdirSync(elsewhere)
    mkdirSync(dirname(cache))
    symlinkSync(elsewhere, cache)
    expect(append('a')).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(elsewhere)).toEqual([])
  })
})

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = bytes[at]! ^ 0x10
  writeFileSync(path, bytes)
}
