import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSession } from '../../../lib/free-functions.js'
import { claimSession, openContext } from '../../../lib/store/index.js'
import { runCli, runWell } from '../command-line.js'
import { newPlace, openSession, type Place, storeSession } from '../stored.js'

async function statusesOf(place: Place, ...args: string[]): Promise<Record<string, string>> {
  const { stdout } = await runCli(['list', '--json', ...args], place)
  const { sessions } = JSON.parse(stdout)
  return Object.fromEntries(
    sessions.map(({ sessionId, status }: Record<string, string>) => [sessionId, status]),
  )
}

/** A session of just now that no process has open. */
async function storeFresh({ root, cwd }: Place, id: string): Promise<void> {
  const session = await createSession({ root, id, project: cwd })
  await session.append({ type: 'user', payload: { content: 'hello' } })
  await session.release()
}

test('list and status agree on which sessions are live', async (t) => {
  const place = newPlace(t)
  await storeFresh(place, 'fed')
  await runWell(['fork', 'fed', '--id', 'forked'], place)
  await storeSession(place, 'old')
  await storeSession(place, 'claimed')
  await claimSession(openContext({ root: place.root }), 'claimed', { runtimePath: 'plugin' })
  const open = await openSession(place, 'open')
  t.onTestFinished(() => open.close().then(() => {}))
  const live = { fed: 'active', forked: 'active', claimed: 'active', open: 'open' }
  expect(await statusesOf(place)).toEqual({ ...live, old: 'unclosed' })
  expect(await statusesOf(place, '--active')).toEqual(live)
  expect(Object.keys(await statusesOf(place, '--active', '--limit', '1'))).toHaveLength(1)
  const { sessions } = JSON.parse(await runWell(['status', '--json'], place))
  const ids = sessions.map(({ sessionId }: { sessionId: string }) => sessionId)
  expect(ids.sort()).toEqual(Object.keys(live).sort())
})

test('close ends a session that its writer left open, once', async (t) => {
  const place = newPlace(t)
  await storeFresh(place, 'fed')
  expect(await runCli(['close', 'fed', '--dry-run'], place)).toMatchObject({
    stdout: 'would close fed\n',
  })
  expect(await statusesOf(place)).toEqual({ fed: 'active' })
  expect(await runWell(['close', 'fed'], place)).toBe('closed fed\n')
  expect(await statusesOf(place)).toEqual({ fed: 'clean' })
  expect(await runWell(['close', 'fed'], place)).toBe('fed is closed already\n')
  expect(await runCli(['close', 'nothing'], place)).toMatchObject({ exitCode: 3 })
  const open = await openSession(place, 'open')
  expect(await runCli(['close', 'open'], place)).toMatchObject({ exitCode: 5 })
  await open.close()
})

test('a resumed session keeps its title and names its parent, and search finds it by that', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'first')
  await runWell(['rename', 'first', 'The', 'parser', 'story'], place)
  await runWell(['resume', 'first', '--id', 'second'], place)
  await runWell(['prompt', 'second', 'continue'], place)
  await runWell(['resume', 'second', '--id', 'third'], place)
  await runWell(['prompt', 'third', 'and on'], place)
  const { sessions } = JSON.parse(await runWell(['list', '--json'], place))
  expect(sessions).toMatchObject([
    { sessionId: 'third', title: 'The parser story', resumedFrom: { sessionId: 'second' } },
    { sessionId: 'second', title: 'The parser story', resumedFrom: { sessionId: 'first' } },
    { sessionId: 'first', title: 'The parser story', resumedFrom: null },
  ])
  const { hits } = JSON.parse(await runWell(['search', 'parser story', '--json'], place))
  expect(hits.map(({ sessionId }: { sessionId: string }) => sessionId)).toContain('third')
  await runWell(['rename', 'third', 'Its own'], place)
  expect(JSON.parse(await runWell(['list', '--json'], place)).sessions[0].title).toBe('Its own')
})

test('search reports a session that it cannot read, and fails', async (t) => {
  if (process.getuid?.() === 0) return t.skip('root reads everything')
  const place = newPlace(t)
  await storeSession(place, 'good')
  chmodSync(await storeSession(place, 'secret'), 0o000)
  const { stdout, stderr, exitCode } = await runCli(['search', 'files'], place)
  expect(stdout).toContain('good')
  expect({ stderr, exitCode }).toEqual({
    stderr: expect.stringMatching(/^skipped .*secret\.jsonl: permission denied \(EACCES\)\n$/),
    exitCode: 2,
  })
  return undefined
})

test('search reports a file that holds no event, and fails', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'good')
  writeFileSync(join(path, '../bad.jsonl'), 'nothing\n')
  const { stdout, stderr, exitCode } = await runCli(['search', 'files', '--json'], place)
  expect(JSON.parse(stdout)).toMatchObject({ count: 1, skipped: [{ reason: 'no event in it' }] })
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 2 })
})

test('resume of a file without a byte creates no session', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'good')
  writeFileSync(join(path, '../begun.jsonl'), '')
  const { stderr, exitCode } = await runCli(['resume', 'begun'], place)
  expect(stderr).toContain('begun.jsonl is empty')
  expect(exitCode).toBe(3)
  expect(readdirSync(join(path, '..')).filter((name) => name.endsWith('.jsonl'))).toEqual([
    'begun.jsonl',
    'good.jsonl',
  ])
})

test('an empty HOME does not make the current folder a store', async (t) => {
  const place = newPlace(t)
  const env = { HOME: '', JSONL_SESSION_ROOT: '', JSONL_SESSION_HOME: '' }
  const args = ['append', 'demo', '--type', 'user', '--payload', '{"content":"hi"}']
  const { stderr, exitCode } = await runCli(args, { ...place, env })
  expect(stderr).toContain('The home folder is unknown: set HOME')
  expect(exitCode).toBe(2)
  expect(existsSync(join(place.cwd, '.jsonl-session'))).toBe(false)
})

test('trash --force moves a session whose checkpoint may still be recovered', async (t) => {
  const place = newPlace(t)
  await storeFresh(place, 'fed')
  await runWell(['checkpoint', 'add', 'fed', '--digest', 'half done'], place)
  const kept = await runCli(['trash', 'fed', '--apply'], place)
  expect(kept).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('kept fed') })
  expect(await runWell(['trash', 'fed', '--apply', '--force'], place)).toMatch(/^trashed {2}fed/)
})

test('ls, cat and rm are other names of list, show and trash', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  expect(await runWell(['ls'], place)).toBe(await runWell(['list'], place))
  expect(await runWell(['cat', 'demo'], place)).toBe(await runWell(['show', 'demo'], place))
  expect(await runWell(['rm', 'demo'], place)).toMatch(/^would trash {2}demo/)
})

test.for([
  ['cost', 'stats'],
  ['delete', 'trash'],
  ['serach', 'search'],
])('the unknown command %s suggests %s', async ([word, meant]) => {
  const { stderr, exitCode } = await runCli([word!])
  expect(stderr).toContain(`(Did you mean ${meant}?)`)
  expect(exitCode).toBe(2)
})
