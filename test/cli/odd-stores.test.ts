// Stores with something in them that is no session: each command says what it cannot read, and
// shows the rest.

import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli, runWell } from './command-line.js'
import { newPlace, storeSession } from './stored.js'

const NOISE = 'not\njson\nat all\n'
const SAID = [
  ['user', 'u1', 'hello'],
  ['assistant', 'a1', 'Hi.'],
  ['user', 'u2', 'again'],
] as const

test('a link that leads in a circle does not end the examination of a store', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  symlinkSync('circle.jsonl', join(dirname(path), 'circle.jsonl'))
  const { stdout, exitCode } = await runCli(['doctor'], place)
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/circle\.jsonl\n {2}a symbolic link that leads nowhere\n/)
})

describe('one that was named and cannot be read is refused, and not taken for empty', () => {
  for (const command of ['show', 'log', 'tail', 'export']) {
    test(`by ${command}`, async (t) => {
      const place = newPlace(t)
      const path = await storeSession(place, 'demo')
      mkdirSync(join(dirname(path), 'folder.jsonl'))
      const odd = await runCli([command, 'folder'], place)
      expect(odd).toMatchObject({ stdout: '', exitCode: 2 })
      expect(odd.stderr).toMatch(
        /^[^\n]*folder\.jsonl is not a regular file.*\(ERR_UNSAFE_PATH\)\n$/,
      )
      const missing = await runCli([command, './missing.jsonl'], place)
      expect(missing).toMatchObject({ stdout: '', exitCode: 3 })
      expect(missing.stderr).toMatch(/missing\.jsonl.*\(ERR_NOT_FOUND\)\n$/)
    })
  }
})

test('damage that has no time is as new as its file, and does not hide newer events from tail', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  const noise = join(dirname(path), 'noise.jsonl')
  writeFileSync(noise, NOISE)
  utimesSync(noise, new Date('2020-01-01'), new Date('2020-01-01'))
  const stdout = await runWell(['tail', '--lines', '2'], place)
  expect(stdout).toMatch(/^==> demo <==\n/)
  expect(stdout).not.toContain('DAMAGE')
})

test('a finding without an offset begins with its message', async (t) => {
  const place = newPlace(t)
  const path = join(place.cwd, 'empty.jsonl')
  writeFileSync(path, '')
  const { stdout, exitCode } = await runCli(['verify', path], place)
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/missing_header \(1\)\n {4}The log contains no events\n/)
})

for (const flags of [[], ['--projected'], ['--text'], ['--json']]) {
  test(`show ${flags.join(' ')} reports lines that it cannot show`, async (t) => {
    const place = newPlace(t)
    const path = await storeSession(place, 'demo', { said: SAID })
    damage(path, 'Hi.')
    const { stdout, stderr, exitCode } = await runCli(['show', 'demo', ...flags], place)
    expect(exitCode).toBe(0)
    expect(stdout).toContain('again')
    expect(stderr).toMatch(/crc_mismatch/)
    expect((await runCli(['show', 'demo', '--quiet', ...flags], place)).stderr).toBe('')
  })
}

test('a session in which nothing can be read is not reported as empty', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  writeFileSync(path, NOISE)
  const shown = await runCli(['show', 'demo'], place)
  expect(shown).toMatchObject({ stdout: '', exitCode: 1 })
  expect(shown.stderr).toMatch(/bad_line.*\nNo message in .* can be read\n$/)
  const json = await runWell(['resume', 'demo', '--mode', 'inspect', '--json'], place)
  expect(JSON.parse(json)).toMatchObject({ messages: [], degraded: true })
  const inspected = await runCli(['resume', 'demo', '--mode', 'inspect'], place)
  expect(inspected.stderr).toContain('Part of what the model should see is missing or damaged.')
  // A partial last line was never acknowledged, so nothing is missing then.
  writeFileSync(path, '{"type":"session_he')
  const torn = await runWell(['resume', 'demo', '--mode', 'inspect', '--json'], place)
  expect(JSON.parse(torn)).toMatchObject({ messages: [], degraded: false })
})

function damage(path: string, words: string): void {
  const text = readFileSync(path, 'utf8')
  expect(text).toContain(words)
  writeFileSync(path, text.replace(words, words.toUpperCase().replaceAll('.', '!')))
}

describe('a foreign line that nests deeper than the stack loses only its own text', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const content = `[{"type":"text","text":"needle"},${deep}]`
  const strange = `{"type":"user","uuid":"x","prev_uuid":"u2","payload":{"content":${content}}}\n`

  test.for([
    ['log', '--json'],
    ['tail', '--json'],
    ['show', '--json'],
    ['show', '--raw', '--json'],
    ['resume', '--mode', 'inspect', '--json'],
    ['export'],
    ['export', '--redact'],
    ['export', '--projected', '--redact'],
  ])('%j', async ([command, ...flags], t) => {
    const place = newPlace(t)
    const path = await storeSession(place, 'demo', { said: SAID })
    const one = { type: 'user', uuid: 'z', prev_uuid: 'x', payload: { content: 'the last' } }
    appendFileSync(path, `${strange}${JSON.stringify(one)}\n`)
    const target = command === 'log' ? path : 'demo'
    const { stdout, exitCode } = await runCli([command!, target, ...flags], place)
    expect(exitCode).toBe(0)
    expect(stdout.match(/nested too deep to show/g)).toHaveLength(1)
    expect(stdout).toContain('needle')
    expect(stdout).toContain('the last')
    for (const row of stdout.trim().split('\n')) JSON.parse(row)
  })

  test('grep finds what it says, and what comes after it', async (t) => {
    const place = newPlace(t)
    appendFileSync(await storeSession(place, 'demo', { said: SAID }), strange)
    const hits = await runWell(['grep', 'needle', '--json', '-C', '2'], place)
    expect(hits).toContain('"uuid":"x"')
  })
})
