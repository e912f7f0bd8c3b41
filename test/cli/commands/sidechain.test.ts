// Subagents on the command line: listed and shown for audit, and in no other listing.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSession } from '../../../lib/free-functions.js'
import type { Session } from '../../../lib/session/index.js'
import { rowsOf, runCli, runInTerminal, runWell } from '../command-line.js'
import { newPlace, type Place } from '../stored.js'

/** On a clock that goes on, so that they have an order. */
async function openSession({ root, cwd }: Place, id: string): Promise<Session> {
  let time = Date.UTC(2026, 0, 1)
  const environment = { now: () => (time += 1000) }
  const session = await createSession({ root, id, project: cwd, environment })
  await session.append({ type: 'user', payload: { content: 'hello' } })
  return session
}

async function work(session: Session, task_id: string, prompt = 'Run the tests.') {
  const child = await session.spawn({ taskId: task_id, prompt, agentType: 'tester' })
  await child.append({ type: 'assistant', payload: { content: `${task_id} at work.` } })
  return child
}

/** A session with a subagent that did well, one that did not, and one that crashed. */
async function fill(place: Place, id = 'demo'): Promise<void> {
  const session = await openSession(place, id)
  const good = await work(session, 'tests')
  await good.finish({ status: 'completed', summary: 'All 12 pass.' })
  const late = await work(session, 'lint', 'Lint it.')
  await late.finish({ status: 'timeout', summary: '' })
  const dead = await work(session, 'docs', 'Write it up.')
  await dead.abandon('test')
  await session.release()
}

test('sidechain list shows how the subagents of a session ended, in the order of their start', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const { sidechains, skipped } = JSON.parse(
    await runWell(['sidechain', 'list', 'demo', '--json'], place),
  )
  expect(skipped).toEqual([])
  expect(sidechains).toMatchObject([
    {
      taskId: 'tests',
      parentSessionId: 'demo',
      agentType: 'tester',
      depth: 1,
      status: 'completed',
      prompt: 'Run the tests.',
      summary: 'All 12 pass.',
      endReason: null,
    },
    { taskId: 'lint', status: 'timeout', summary: null },
    { taskId: 'docs', status: 'crashed', endedAt: null },
  ])
  const table = await runWell(['sidechain', 'list', 'demo'], place)
  expect(table.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^tests +Run the tests\. +completed +\S.* tester +\d+ B|KiB$/),
    expect.stringMatching(/^lint +Lint it\. +timeout /),
    expect.stringMatching(/^docs +Write it up\. +crashed /),
  ])
})

test('the table on a terminal has a heading and colour, and fits', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const args = ['sidechain', 'list', 'demo', '--root', place.root]
  const { stdout } = await runInTerminal(args, { columns: 60 })
  const rows = stdout.trimEnd().split('\n')
  expect(rows[0]).toMatch(/TASK +PROMPT +STATUS +STARTED +TYPE +SIZE/)
  expect(rows[2]).toContain('\u001b[33mtimeout')
  for (const row of rows) expect(row.replaceAll(/\u001b\[\d+m/g, '').length).toBeLessThanOrEqual(60)
})

test('sidechain list reports skipped files, unknown sessions, and sessions without subagents', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const folder = join(place.root, '.sidechains', 'folder.jsonl')
  mkdirSync(folder)
  const listed = await runCli(['sidechain', 'list', 'demo'], place)
  expect(listed).toMatchObject({ exitCode: 0, stderr: `skipped ${folder}: a directory\n` })
  const alone = await openSession(place, 'alone')
  await alone.release()
  expect(await runCli(['sidechain', 'list', 'alone', '--json'], place)).toMatchObject({
    exitCode: 1,
    stdout: `{"sidechains":[],"skipped":[{"path":"${folder}","reason":"a directory"}]}\n`,
  })
  const missing = await runCli(['sidechain', 'list', 'nobody'], place)
  expect(missing).toMatchObject({ exitCode: 3, stdout: '' })
  expect(await runCli(['sidechain', 'list'], place)).toMatchObject({ exitCode: 2 })
  const alone2 = await runCli(['sidechain'], place)
  expect(alone2.stderr).toContain('sidechain list or sidechain show')
})

test('a fork lists the subagents its source had spawned by then', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  await (await work(session, 'before')).finish({ status: 'completed', summary: 'Done.' })
  const { uuid } = await session.append({ type: 'user', payload: { content: 'go on' } })
  await (await work(session, 'after')).finish({ status: 'completed', summary: 'Done.' })
  await session.close()
  await runWell(['fork', 'demo', '--at', uuid, '--id', 'fork'], place)
  const tasksOf = async (id: string) => {
    const listed = await runWell(['sidechain', 'list', id, '--json'], place)
    return JSON.parse(listed).sidechains.map(({ taskId }: { taskId: string }) => taskId)
  }
  expect(await tasksOf('demo')).toEqual(['before', 'after'])
  expect(await tasksOf('fork')).toEqual(['before'])
  await runWell(['sidechain', 'show', 'before', '--session', 'fork'], place)
  expect(await runCli(['sidechain', 'show', 'after', '--session', 'fork'], place)).toMatchObject({
    exitCode: 3,
  })
})

test('sidechain show prints prompt and actions, and on stderr how it ended', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const { stdout, stderr, exitCode } = await runCli(['sidechain', 'show', 'tests'], place)
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^User .*\nRun the tests\.\n\nAssistant .*\ntests at work\.\n$/)
  expect(stderr).toBe('tests of session demo: completed: All 12 pass.\n')
  expect(await runWell(['sidechain', 'show', 'test', '--text'], place)).toBe(
    'User: Run the tests.\nAssistant: tests at work.\n',
  )
  const raw = rowsOf(await runWell(['sidechain', 'show', 'tests', '--raw', '--json'], place))
  expect(raw.map(({ type }) => type)).toEqual([
    'sidechain_header',
    'user',
    'assistant',
    'sidechain_terminator',
  ])
  const seen = rowsOf(await runWell(['sidechain', 'show', 'tests', '--json'], place))
  expect(seen.map(({ type }) => type)).toEqual(['user', 'assistant'])
  const late = await runCli(['sidechain', 'show', 'lint'], place)
  expect(late.stderr).toBe('lint of session demo: timeout\n')
})

// Requirement: 003-67
test('a crashed subagent is shown without a result', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const { stdout, stderr } = await runCli(['sidechain', 'show', 'docs'], place)
  expect(stdout).toContain('docs at work.')
  expect(stderr).toBe('docs of session demo: crashed\n')
})

test('a task of several sessions is ambiguous until one of them is named', async (t) => {
  const place = newPlace(t)
  await fill(place, 'one')
  await fill(place, 'two')
  const both = await runCli(['sidechain', 'show', 'tests', '--json'], place)
  expect(both).toMatchObject({ exitCode: 2, stdout: '' })
  expect(JSON.parse(both.stderr)).toMatchObject({
    error: {
      code: 'ERR_AMBIGUOUS',
      message: expect.stringContaining('tests of one'),
      details: { count: 2 },
    },
  })
  const { stderr } = await runCli(['sidechain', 'show', 'tests', '--session', 'two'], place)
  expect(stderr).toContain('of session two')
  const wrong = ['sidechain', 'show', 'tests', '--session', 'one', '--raw', '--text']
  expect(await runCli(wrong, place)).toMatchObject({ exitCode: 2 })
  expect(await runCli(['sidechain', 'show', 'nobody'], place)).toMatchObject({ exitCode: 3 })
})

// Requirement: 003-05
test('subagents are in no list of sessions, are not resumed, and are no session to show', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const { sessions } = JSON.parse(await runWell(['list', '--all', '--json'], place))
  expect(sessions.map(({ sessionId }: { sessionId: string }) => sessionId)).toEqual(['demo'])
  const resumed = JSON.parse(await runWell(['resume', '--mode', 'inspect', '--json'], place))
  expect(resumed).toMatchObject({ sessionId: 'demo' })
  expect(await runCli(['show', 'tests'], place)).toMatchObject({ exitCode: 3 })
})

// Requirement: 003-43
test('a damaged subagent is shown as far as it goes, and its session whole', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const before = await runWell(['show', 'demo', '--json'], place)
  const path = join(place.root, '.sidechains', 'tests.jsonl')
  writeFileSync(path, 'noise\n{"type":"user"}\n', { flag: 'a' })
  expect((await runCli(['sidechain', 'show', 'tests'], place)).stdout).toContain('tests at work.')
  writeFileSync(path, 'nothing but noise\n')
  expect(await runCli(['sidechain', 'show', 'tests'], place)).toMatchObject({ exitCode: 3 })
  const listed = await runCli(['sidechain', 'list', 'demo'], place)
  expect(listed.stdout).toMatch(/^lint /)
  expect(listed.stderr).toContain(`skipped ${path}`)
  expect(await runWell(['show', 'demo', '--json'], place)).toBe(before)
})

test('a running subagent is shown as open, with a dash for an unknown agent type', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  const child = await session.spawn({ taskId: 'silent', prompt: 'Look.' })
  t.onTestFinished(async () => {
    await child.abandon('test')
    await session.release()
  })
  const { stdout } = await runInTerminal(['sidechain', 'list', 'demo', '--root', place.root], {
    columns: 100,
    env: { NO_COLOR: '1' },
  })
  expect(stdout).toMatch(/^silent +Look\. +open +\S+ +- +\d/m)
})
