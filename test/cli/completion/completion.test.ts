// bash is run for real. zsh and fish are not everywhere, so of theirs only the answer that they
// ask for is held, and that their scripts ask for it.

import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../../lib/cli/commands.js'
import { BINARY, runCli, runWell } from '../command-line.js'
import { newPlace, type Place, storeSession } from '../stored.js'

async function completed(words: readonly string[], place?: Place): Promise<string[]> {
  const options = place === undefined ? {} : { root: place.root }
  const stdout = await runWell(['__complete', '--', ...words], options)
  return stdout.split('\n').filter(Boolean)
}

const valuesOf = (rows: readonly string[]) => rows.map((row) => row.split('\t')[0])

test('the first word is any command of the table, with what it does', async () => {
  const rows = await completed([''])
  const first = [...new Set([...COMMANDS.keys()].map((name) => name.split(' ')[0]))]
  expect(valuesOf(rows)).toEqual(first)
  expect(rows).toContain('verify\tCheck logs for damage, broken chains and bad events; reads only')
  expect(valuesOf(await completed(['res']))).toEqual(['resume'])
  expect(valuesOf(await completed(['help', 'res']))).toEqual(['resume'])
})

test('a group is completed with its commands, also where its name is a command itself', async () => {
  expect(valuesOf(await completed(['hooks', '']))).toEqual([
    'install',
    'uninstall',
    'status',
    'run',
  ])
  expect(valuesOf(await completed(['history', 'r']))).toEqual(['rotate'])
  expect(valuesOf(await completed(['history', '--o']))).toEqual(['--order'])
  expect(valuesOf(await completed(['history', '--f']))).toEqual([])
})

test('options are those of the command and those of all', async () => {
  const options = valuesOf(await completed(['verify', '--']))
  expect(options).toEqual(expect.arrayContaining(['--all', '--root', '--json', '--help']))
  expect(options).not.toContain('--mode')
  expect(valuesOf(await completed(['--root', 'x', 'verify', '--al']))).toEqual(['--all'])
})

test('a session is offered with its title and age, in the store that was named', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo-one')
  await storeSession(place, 'demo-two', { second: 100, said: [['user', 'u1', 'fix\tthe parser']] })
  await storeSession(place, 'other')
  expect(await completed(['show', 'demo'], place)).toEqual([
    'demo-two\tfix the parser, 2026-01-01',
    'demo-one\thello, 2026-01-01',
  ])
  expect(valuesOf(await completed(['--root', place.root, 'fork', 'oth']))).toEqual(['other'])
  expect(valuesOf(await completed(['fork', `--root=${place.root}`, 'oth']))).toEqual(['other'])
  expect(valuesOf(await completed(['history', '--session', 'oth'], place))).toEqual(['other'])
  expect(valuesOf(await completed(['verify', 'demo-one', 'oth'], place))).toEqual([
    'other',
    ':file',
  ])
  expect(await completed(['rename', 'demo-one', 'oth'], place)).toEqual([])
  await storeSession(place, 'Upper')
  expect(valuesOf(await completed(['show', 'Up'], place))).toEqual(['Upper'])
})

test('file values are left to the shell, choices are offered', async () => {
  expect(valuesOf(await completed(['list', '--root', '']))).toEqual([':file'])
  expect(valuesOf(await completed(['bypass', 'x', '']))).toEqual(['on', 'off'])
  expect(valuesOf(await completed(['completion', '']))).toEqual(['bash', 'zsh', 'fish'])
  expect(await completed(['list', '--limit', ''])).toEqual([])
})

test('what cannot be answered is answered with silence', async () => {
  const answer = await runCli(['__complete', '--', 'no', 'such', ''], { root: '/dev/null' })
  expect(answer).toEqual({ stdout: '', stderr: '', exitCode: 0 })
})

test('bash completes commands, options, sessions and files', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo-one')
  const bin = join(place.cwd, 'bin')
  mkdirSync(bin)
  symlinkSync(BINARY, join(bin, 'jsonl-session'))
  writeFileSync(join(place.cwd, 'demo file.jsonl'), '')
  const script = await runWell(['completion', 'bash'])
  const asked = (...words: string[]) => {
    const quoted = ['jsonl-session', ...words].map((word) => `'${word}'`).join(' ')
    const line = `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _jsonl_session
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const env = { PATH: `${bin}:${process.env['PATH']}`, JSONL_SESSION_ROOT: place.root }
    const args = ['--noprofile', '--norc', '-c', line]
    const { stdout, stderr } = spawnSync('bash', args, { cwd: place.cwd, env, encoding: 'utf8' })
    expect(stderr).toBe('')
    return stdout.split('\n').filter(Boolean)
  }
  expect(asked('ver')).toEqual(['verify'])
  expect(asked('verify', '--al')).toEqual(['--all'])
  expect(asked('show', 'dem')).toEqual(['demo-one'])
  expect(asked('verify', 'dem')).toEqual(['demo-one', 'demo file.jsonl'])
  expect(asked('list', '--root', '=', 'demo')).toEqual(['demo file.jsonl'])
})

test.each(['bash', 'zsh', 'fish'])('the script for %s asks the program', async (shell) => {
  const script = await runWell(['completion', shell])
  expect(script).toContain('__complete -- ')
  expect(JSON.parse(await runWell(['completion', shell, '--json']))).toEqual({ shell, script })
})

test('a shell that is not known is wrong use', async () => {
  const answer = await runCli(['completion', 'tcsh'])
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
  expect(answer.stderr).toContain('bash, zsh, fish')
})

test('a store of very many sessions is offered by names alone', async (t) => {
  const { root } = newPlace(t)
  const folder = join(root, '.transcripts')
  mkdirSync(folder)
  for (let index = 0; index < 201; index++) writeFileSync(join(folder, `s${index}.jsonl`), '')
  // An id that differs from the name of its file is known only by reading it.
  writeFileSync(join(folder, '%41.jsonl'), '')
  const rows = await completed(['show', ''], { root, cwd: root })
  expect(rows.filter((row) => !row.startsWith(':'))).toHaveLength(201)
  expect(rows).toContain('s7\t')
  expect(rows.join()).not.toContain('%')
})

test('a store under the home folder is found as a shell hands it over', async (t) => {
  const place = newPlace(t)
  await storeSession({ ...place, root: join(place.cwd, 'store') }, 'demo-one')
  const words = ['show', '--root=~/store', 'demo']
  const env = { HOME: place.cwd }
  const stdout = await runWell(['__complete', ...words], { env })
  expect(stdout).toContain('demo-one')
  const parted = await runWell(['__complete', '--', 'show', '--root', '=', '~/store', ''], { env })
  expect(parted).toContain('demo-one')
})

test('values after a sign of equality, files to compare, and ids that no shell takes', async (t) => {
  expect(valuesOf(await completed(['list', '--root', '=']))).toEqual([':file'])
  expect(valuesOf(await completed(['relocate', '']))).toEqual([':file'])
  expect(await completed(['relocate', 'a', 'b', ''])).toEqual([])
  expect(valuesOf(await completed(['--no']))).toEqual(expect.arrayContaining(['--no-color']))
  const place = newPlace(t)
  await storeSession(place, 'two words')
  await storeSession(place, 'two-words')
  expect(valuesOf(await completed(['show', 'two'], place))).toContain('two-words')
  expect(valuesOf(await completed(['show', 'two'], place))).not.toContain('two words')
})
