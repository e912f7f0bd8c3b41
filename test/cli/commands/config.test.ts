// One config.json for commands, hooks and the MCP server.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listCheckpoints, openContext } from '../../../lib/store/index.js'
import { tell } from '../../hooks/telling.js'
import { runCli, runWell } from '../command-line.js'
import { contentsOf, newPlace, type Place, storeSession } from '../stored.js'

/** A place whose home is not its root. */
function twoFolders(t: Parameters<typeof newPlace>[0]) {
  const place = newPlace(t)
  const home = newPlace(t).root
  const env = { JSONL_SESSION_HOME: home }
  return { place: { ...place, env }, home }
}

function set(folder: string, content: object | string): string {
  const path = join(folder, 'config.json')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const rowOf = (stdout: string, name: string) =>
  stdout
    .split('\n')
    .find((row) => row.startsWith(`${name} `))
    ?.split(/\s{2,}/)

test('config shows every setting that is in force, and where it comes from', async (t) => {
  const { place, home } = twoFolders(t)
  const ofHome = set(home, { continuity: { promptInterval: 5, debounceMs: 9 }, pager: 'less' })
  const ofRoot = set(place.root, {
    continuity: { promptInterval: 7 },
    recovery: { withinHours: 9 },
  })
  const stdout = await runWell(['config'], place)
  expect(rowOf(stdout, 'continuity.promptInterval')).toEqual([
    'continuity.promptInterval',
    '7',
    ofRoot,
  ])
  expect(rowOf(stdout, 'continuity.debounceMs')?.slice(1)).toEqual(['9', ofHome])
  expect(rowOf(stdout, 'continuity.retentionDays')?.slice(1)).toEqual(['7', 'default'])
  expect(rowOf(stdout, 'recovery.withinHours')?.slice(1)).toEqual(['9', ofRoot])
  expect(rowOf(stdout, 'summarizer')?.slice(1)).toEqual(['-', 'default'])
  expect(rowOf(stdout, 'pager')?.slice(1)).toEqual(['less', ofHome])
  const env = { ...place.env, HISTORY_RETAIN_DAYS: '30', JSONL_SESSION_PAGER: 'more' }
  const other = await runWell(['config'], { ...place, env })
  expect(rowOf(other, 'history.retainDays')?.slice(1)).toEqual(['30', 'HISTORY_RETAIN_DAYS'])
  expect(rowOf(other, 'pager')?.slice(1)).toEqual(['more', 'JSONL_SESSION_PAGER'])
})

test('config --json prints files, settings and problems', async (t) => {
  const { place, home } = twoFolders(t)
  const ofRoot = set(place.root, { pager: 'evil', compaction: { keepPercent: 30 } })
  const { stdout, exitCode } = await runCli(['config', '--json'], place)
  const { files, settings, problems } = JSON.parse(stdout)
  const ofHome = join(home, 'config.json')
  expect(files).toEqual([
    { path: ofHome, exists: false },
    { path: ofRoot, exists: true },
  ])
  expect(settings).toContainEqual({ name: 'pager', value: 'less -FRX', from: 'default' })
  expect(settings).toContainEqual({ name: 'compaction.keepPercent', value: 30, from: ofRoot })
  const message = `pager can only be set in ${ofHome}; it is ignored`
  expect(problems).toEqual([{ file: ofRoot, message }])
  expect(exitCode).toBe(1)
})

test('config names values that are out of range, and shows what is used instead', async (t) => {
  const place = newPlace(t)
  set(place.root, { continuity: { promptInterval: 5000 }, compaction: { keepPercent: 300 } })
  const { stdout, stderr, exitCode } = await runCli(['config'], place)
  expect(rowOf(stdout, 'continuity.promptInterval')?.[1]).toBe('1000')
  expect(rowOf(stdout, 'compaction.keepPercent')?.[1]).toBe('10')
  expect(stderr).toContain('promptInterval 5000 is not from 1 to 1000; 1000 is used')
  expect(stderr).toContain('keepPercent')
  expect(exitCode).toBe(1)
})

test('config reads, and creates nothing', async (t) => {
  const place = newPlace(t)
  await runWell(['config'], place)
  expect(contentsOf(place.root)).toEqual(contentsOf(newPlace(t).root))
})

test('a prompt by command or hook leaves a checkpoint as often as the file says', async (t) => {
  const place = newPlace(t)
  const count = (session: string) =>
    listCheckpoints(openContext({ root: place.root }), { session }).checkpoints.length
  await runWell(['prompt', 'one', 'hello'], place)
  const hook = { session_id: 'two', hook_event_name: 'UserPromptSubmit', cwd: place.cwd }
  await tell({ ...hook, prompt: 'hello' }, place)
  expect([count('one'), count('two')]).toEqual([0, 0])
  set(place.root, { continuity: { promptInterval: 2 } })
  await runWell(['prompt', 'one', 'again'], place)
  await tell({ ...hook, prompt: 'again' }, place)
  expect([count('one'), count('two')]).toEqual([1, 1])
})

test('a hook reports what it ignores, and records the prompt', async (t) => {
  const place = newPlace(t)
  set(place.root, '{')
  const hook = { session_id: 's', hook_event_name: 'UserPromptSubmit', prompt: 'hello' }
  const { answer, words } = await tell(hook, place)
  expect(answer.status).toBe('written')
  expect(words).toContain('invalid_setting: The file cannot be read')
})

test('compact takes the summarizer of the home, and not that of the root', async (t) => {
  const { place, home } = twoFolders(t)
  await storeSession(place as Place, 'demo')
  set(place.root, { summarizer: 'extractive' })
  const refused = await runCli(['compact', 'demo'], place)
  expect(refused).toMatchObject({ exitCode: 2 })
  expect(refused.stderr).toContain('compact needs a summary')
  expect(refused.stderr).toContain('summarizer can only be set in')
  set(home, { summarizer: 'extractive' })
  expect((await runCli(['compact', 'demo', '--keep', '0%'], place)).stdout).toContain('compacted')
})

test('doctor knows the file', async (t) => {
  const place = newPlace(t)
  set(place.root, {})
  const { unknown } = JSON.parse(await runWell(['doctor', '--json'], place))
  expect(unknown).toEqual([])
})
