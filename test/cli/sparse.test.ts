// Sessions of which little is known: no header, no time, nothing said. Every table shows them.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { line } from '../helpers/lines.js'
import { runCli, runInTerminal, runWell } from './command-line.js'
import { newPlace, type Place, storeSession } from './stored.js'

function fill(t: Parameters<typeof newPlace>[0]): Place {
  const place = newPlace(t)
  const folder = join(place.root, '.transcripts')
  mkdirSync(folder, { recursive: true })
  // A reply without a prompt, on a line with an invalid time.
  const undated = line('assistant', { payload: { content: 'Hm.' }, ts: 'soon' })
  writeFileSync(join(folder, 'undated.jsonl'), undated)
  writeFileSync(join(folder, 'void.jsonl'), '')
  return place
}

test('list has a dash for what is not known', async (t) => {
  const place = fill(t)
  await storeSession(place, 'at-root', { project: '/' })
  const stdout = await runWell(['list', '--all'], place)
  expect(stdout).toMatch(/^undated\s+-\s+\w+\s+-\s+-\s+\d+ B$/m)
  expect(stdout).toMatch(/^at-root\s+hello\s+\w+\s+2026-01-01\s+\/\s/m)
  const shown = await runInTerminal(['list', '--all', '--root', place.root], { columns: 100 })
  expect(shown.stdout).toContain('undated')
})

test('an id that is spelled otherwise on the disk is shown whole', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'A Very Long Name Of A Session')
  const { stdout } = await runInTerminal(['list', '--all', '--root', place.root], { columns: 120 })
  expect(stdout).toContain('A Very Long Name Of A Session')
})

test('completion offers what has no title by its state', async (t) => {
  const place = fill(t)
  const stdout = await runWell(['__complete', '--', 'show', 'undated'], place)
  expect(stdout).toMatch(/^undated\t\w+\n/)
  const both = await runWell(['__complete', '--', 'show', ''], place)
  expect(both).toContain('undated')
})

test('what is archived without a time is undated', async (t) => {
  const place = fill(t)
  const plan = await runCli(['archive', 'undated'], place)
  expect(plan.stdout).toMatch(/undated {2}\d+ B {2}undated\n/)
  await runWell(['archive', 'undated', '--apply'], place)
  expect(await runWell(['archive', 'list'], place)).toMatch(/^undated {2}\d+ B {2}undated\n$/)
  const { sessions } = JSON.parse(await runWell(['archive', 'list', '--json'], place))
  expect(sessions).toMatchObject([{ sessionId: 'undated', title: null, lastActivity: null }])
})

test('a log without a header is compacted in plan, by its path', async (t) => {
  const place = newPlace(t)
  const path = join(place.cwd, 'bare.jsonl')
  const said = [0, 1, 2].map((index) =>
    line(index === 1 ? 'assistant' : 'user', {
      uuid: `m${index}`,
      prev_uuid: index === 0 ? null : `m${index - 1}`,
      payload: { content: `words ${index}` },
    }),
  )
  writeFileSync(path, Buffer.concat(said))
  const stdout = await runWell(['compact', path, '--plan', '--keep', '40%'], place)
  expect(stdout.startsWith(`${path}: 3 messages, about `)).toBe(true)
  const fields = JSON.parse(await runWell(['compact', path, '--plan', '--json'], place))
  expect(fields).toMatchObject({ sessionId: null, messagesSummarized: expect.any(Number) })
})
