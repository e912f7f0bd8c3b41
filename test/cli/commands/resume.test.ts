import { appendFileSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli, runInTerminal, runWell } from '../command-line.js'
import {
  CHAT,
  contentsOf,
  eventsIn,
  newPlace,
  openSession,
  type Place,
  storeSession,
} from '../stored.js'

async function resumed(args: readonly string[], place: Place) {
  return JSON.parse(await runWell(['resume', ...args, '--json'], place))
}

// Requirement: 003-17
test('resume reads the latest session of the project and begins a new one', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'older', { second: 0 })
  const path = await storeSession(place, 'newer', { second: 100 })
  await storeSession(place, 'elsewhere', { second: 200, project: '/somewhere/else' })
  const before = contentsOf(place.root)
  const { stdout, stderr, exitCode } = await runCli(['resume', '--json'], place)
  const answer = JSON.parse(stdout)
  expect(stdout.endsWith('}\n')).toBe(true)
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  const newPath = join(place.root, '.transcripts', `${answer.sessionId}.jsonl`)
  expect(answer).toEqual({
    sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    resumedFrom: {
      sessionId: 'newer',
      tipUuid: 'a2',
      tipOffset: expect.any(Number),
      transcriptPath: path,
    },
    transcriptPath: newPath,
    messages: CHAT.map(([type, uuid]) => expect.objectContaining({ type, uuid, file: path })),
    interruption: { kind: 'none', found: [], retry: [] },
    retry: [],
    degraded: false,
    diagnostics: [],
    permissions: 'reset',
  })
  expect(eventsIn(newPath)).toMatchObject([
    { type: 'session_header', payload: { resumed_from: { session_id: 'newer', tip_uuid: 'a2' } } },
  ])
  const { [newPath]: _, ...rest } = contentsOf(place.root)
  expect(rest).toEqual(before)
})

test('resume --all takes the newest of any project, --project that of another', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'here', { second: 0 })
  await storeSession(place, 'elsewhere', { second: 100, project: '/somewhere/else' })
  expect((await resumed([], place)).resumedFrom.sessionId).toBe('here')
  expect((await resumed(['--all'], place)).resumedFrom.sessionId).toBe('elsewhere')
  const other = { ...place, cwd: place.root }
  const args = ['--project', place.cwd]
  expect((await resumed(args, other)).resumedFrom.sessionId).toBe('here')
})

// Requirement: 003-11
test('a resumed session starts with fresh trust and says so', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  session.permissions.grant('canary-grant')
  await session.release()
  const asJson = await runWell(['resume', 'demo', '--json'], place)
  expect(JSON.parse(asJson).permissions).toBe('reset')
  const { permissions: _, ...rest } = JSON.parse(asJson)
  expect(JSON.stringify(rest)).not.toMatch(/permission|grant|allow|trust/i)
  const asWords = await runCli(['resume', 'demo'], place)
  expect(asWords.stderr).toMatch(/\nPermissions are reset: .*\n$/)
  for (const path of Object.keys(contentsOf(place.root))) {
    expect(JSON.stringify(eventsIn(path))).not.toMatch(/canary-grant|permission/)
  }
})

test('resume prints notes on stderr and the conversation on stdout', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: CHAT.slice(0, 4) })
  const { stdout, stderr, exitCode } = await runCli(['resume', '--id', 'next', '--full'], place)
  expect(stdout).toMatch(/^User {2}\S+ {2}u1\nhello\n\nAssistant[\s\S]*✗ no result recorded; .*\n$/)
  expect(stderr).toBe(
    `${[
      `newest session of ${place.cwd}: demo`,
      `resumed demo as next in ${join(place.root, '.transcripts', 'next.jsonl')}`,
      '5 messages, 1 finding: open_tool_call (--json shows all)',
      'It stopped while tools were running; 1 call may or may not have run.',
      'All messages: jsonl-session show demo, or --full.',
      "To continue: jsonl-session resume next --mode append, or resumeSession({ id: 'next', mode: 'append' }).",
      'To inspect it without creating one: jsonl-session resume demo --mode inspect.',
      'Permissions are reset: what was allowed before must be allowed again.',
    ].join('\n')}\n`,
  )
  expect(exitCode).toBe(0)
  const quietly = await runCli(['resume', 'demo', '--mode', 'inspect', '--full', '--quiet'], place)
  expect(quietly).toMatchObject({ stdout, stderr: '', exitCode: 0 })
})

test('on a terminal the conversation is set apart, in colour', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const args = ['resume', '--mode', 'inspect', '--full', '--root', place.root]
  const { stdout, stderr, exitCode } = await runInTerminal(args, { cwd: place.cwd })
  expect(stdout).toContain('\u001b[36mUser')
  expect(stderr).toMatch(/^newest session of .*: demo\ninspecting demo, writing nothing/)
  expect(stderr).toMatch(
    /\n\nAll messages: .*\nTo continue in a new session: jsonl-session resume demo\.\nPermissions/,
  )
  expect(exitCode).toBe(0)
})

test.for([
  { name: 'words', args: [] },
  { name: 'JSON', args: ['--json'] },
  { name: 'an older event', args: ['--at', 'a1'] },
  { name: '--strict', args: ['--strict'] },
])('resume --mode inspect writes nothing: $name', async ({ args }, t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const before = contentsOf(place.root)
  await runWell(['resume', '--mode', 'inspect', ...args], place)
  expect(contentsOf(place.root)).toEqual(before)
  expect(readdirSync(join(place.root, '.transcripts'))).toEqual(['demo.jsonl'])
})

test('resuming ten times without a message takes the same session each time', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  for (let look = 0; look < 10; look++) {
    const answer = await resumed([], place)
    expect(answer.resumedFrom.sessionId).toBe('demo')
  }
  const { sessions } = JSON.parse(await runWell(['list', '--json'], place))
  expect(sessions).toHaveLength(1)
  const all = JSON.parse(await runWell(['list', '--all', '--json'], place)).sessions
  expect(all.map(({ status }: { status: string }) => status).sort()).toEqual([
    ...Array.from({ length: 10 }, () => 'active'),
    'unclosed',
  ])
})

test('the new session can be appended to immediately and continues the old one', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const { sessionId } = await resumed([], place)
  await runWell(
    ['append', sessionId, '--type', 'user', '--uuid', 'u9', '--payload', '{"content":"go on"}'],
    place,
  )
  const again = await resumed(['--mode', 'inspect'], place)
  expect(again.sessionId).toBe(sessionId)
  expect(again.messages.map(({ uuid }: { uuid: string }) => uuid)).toEqual([
    ...CHAT.map(([, uuid]) => uuid),
    'u9',
  ])
  expect(again.interruption.kind).toBe('no_reply')
})

test('a session that another process is writing can be resumed, but not appended to', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  t.onTestFinished(() => session.release())
  const before = contentsOf(place.root)[session.path]
  expect(await resumed(['demo'], place)).toMatchObject({ resumedFrom: { sessionId: 'demo' } })
  const answer = await runCli(['resume', 'demo', '--mode', 'append', '--json'], place)
  expect(JSON.parse(answer.stderr).error).toMatchObject({
    code: 'ERR_LOCKED',
    details: { pid: process.pid },
  })
  expect(answer).toMatchObject({ stdout: '', exitCode: 5 })
  await session.append({ type: 'user', payload: { content: 'still mine' } })
  expect(before).not.toBe(contentsOf(place.root)[session.path])
})

test('resume --mode append continues in the same file', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  const answer = await resumed(['demo', '--mode', 'append'], place)
  expect(answer).toMatchObject({ sessionId: 'demo', transcriptPath: path, permissions: 'reset' })
  expect(eventsIn(path).at(-1)).toMatchObject({ type: 'session_resumed', prev_uuid: 'a2' })
  const { stderr } = await runCli(['resume', 'demo', '--mode', 'append'], place)
  expect(stderr).toMatch(/^continuing demo in /)
})

test('resume --at continues from an older event', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const answer = await resumed(['demo', '--at', 'a1'], place)
  expect(answer.resumedFrom.tipUuid).toBe('a1')
  expect(answer.messages).toHaveLength(2)
})

// Requirement: 003-65
test('resume --tools says what becomes of a call without a result', async (t) => {
  const place = newPlace(t)
  const call = { tool_call_id: 't1', name: 'Read', input: {}, idempotent: true }
  await storeSession(place, 'demo', {
    said: [
      ['user', 'u1', 'read it'],
      ['tool_call', 'c1', call],
    ],
  })
  const typesFor = async (policy: string) => {
    const { messages, retry } = await resumed(
      ['demo', '--mode', 'inspect', '--tools', policy],
      place,
    )
    return [messages.map(({ type }: { type: string }) => type), retry.length]
  }
  expect(await typesFor('synthesize')).toEqual([['user', 'tool_call', 'tool_result'], 0])
  expect(await typesFor('retry')).toEqual([['user', 'tool_call'], 1])
  expect(await typesFor('drop')).toEqual([['user'], 0])
  const { stderr } = await runCli(
    ['resume', 'demo', '--mode', 'inspect', '--tools', 'retry'],
    place,
  )
  expect(stderr).toContain('Can be run again if you allow it: Read.')
})

test('a damaged session is resumed and says so; under --strict it exits with 4', async (t) => {
  const place = newPlace(t)
  const parent = await storeSession(place, 'demo')
  await runWell(['resume', 'demo', '--id', 'child'], place)
  await runWell(['append', 'child', '--type', 'user', '--payload', '{"content":"on"}'], place)
  rmSync(parent)
  expect(await resumed(['child', '--mode', 'inspect'], place)).toMatchObject({
    degraded: true,
    diagnostics: [{ code: 'parent_session_missing' }],
  })
  const asWords = await runCli(['resume', 'child', '--mode', 'inspect'], place)
  expect(asWords.stderr).toContain('Part of what the model should see is missing or damaged.')
  const before = contentsOf(place.root)
  const strictly = await runCli(['resume', 'child', '--strict', '--json'], place)
  expect(JSON.parse(strictly.stderr).error.code).toBe('ERR_DAMAGED')
  expect(strictly).toMatchObject({ stdout: '', exitCode: 4 })
  expect(contentsOf(place.root)).toEqual(before)
})

// Requirement: 003-64
test('a torn last line costs only itself', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  appendFileSync(path, '{"type":"user","ts":"20')
  const { messages, diagnostics, degraded } = await resumed(['demo', '--mode', 'inspect'], place)
  expect(messages).toHaveLength(CHAT.length)
  expect({ degraded, codes: diagnostics.map(({ code }: { code: string }) => code) }).toEqual({
    degraded: false,
    codes: ['partial_tail'],
  })
})

test.for([
  { args: [], reason: 'No session of ' },
  { args: ['--all'], reason: 'No session to resume' },
  { args: ['nobody'], reason: 'No session ' },
])('a miss names the folder, creates nothing and exits with 3: $args', async (miss, t) => {
  const place = newPlace(t)
  for (const json of [[], ['--json']]) {
    const answer = await runCli(['resume', ...miss.args, ...json], place)
    expect(answer.stderr).toContain(miss.reason)
    expect(answer.stderr).toContain('ERR_NOT_FOUND')
    expect(answer.stderr).toContain(join(place.root, '.transcripts'))
    if (miss.args.length === 0) expect(answer.stderr).toContain(place.cwd)
    expect(answer).toMatchObject({ stdout: '', exitCode: 3 })
  }
  expect(existsSync(join(place.root, '.transcripts'))).toBe(false)
})

test('an ambiguous beginning of an id is answered with the candidates', async (t) => {
  const place = newPlace(t)
  for (const id of ['alpha-one', 'alpha-two']) await storeSession(place, id)
  const before = contentsOf(place.root)
  const answer = await runCli(['resume', 'alpha'], place)
  expect(answer.stderr).toContain('alpha-one, alpha-two')
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
  expect(contentsOf(place.root)).toEqual(before)
  expect((await resumed(['alpha-o'], place)).resumedFrom.sessionId).toBe('alpha-one')
})

test('resume takes the path of a transcript and rejects an id that exists', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'Some Session')
  expect((await resumed([path], place)).resumedFrom.sessionId).toBe('Some Session')
  const answer = await runCli(['resume', path, '--id', 'Some Session', '--json'], place)
  expect(JSON.parse(answer.stderr).error.code).toBe('ERR_EXISTS')
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
  const elsewhere = await runCli(['resume', path], { ...place, root: place.cwd })
  expect(elsewhere.stderr).toContain('is not a session of')
  expect(elsewhere).toMatchObject({ stdout: '', exitCode: 2 })
  const missing = await runCli(['resume', './nobody.jsonl'], place)
  expect(missing.stderr).toMatch(/Could not read .*nobody\.jsonl \(ENOENT\)/)
  expect(missing).toMatchObject({ stdout: '', exitCode: 3 })
})

test.each([
  [['--mode', 'maybe'], '--mode takes new, append, inspect'],
  [['--tools', 'all'], '--tools takes synthesize, retry, drop'],
  [['demo', '--mode', 'append', '--at', 'u1'], 'rewind'],
  [['demo', '--mode', 'inspect', '--id', 'x'], '--id names a new session'],
  [['demo', '--all'], 'cannot be combined with a session'],
  [['--all', '--project', '/x'], 'cannot be combined'],
  [['one', 'two'], 'too many arguments'],
  [['--permissions', 'x'], 'unknown option'],
])('resume %j is refused as wrong use', async (args, reason) => {
  const answer = await runCli(['resume', ...args])
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
})

test('resume alone says where the session is, on a few lines', async (t) => {
  const place = newPlace(t)
  const said = [
    ...CHAT,
    ['tool_call', 'c2', { tool_call_id: 't2', name: 'Read', input: { file_path: 'src/a.ts' } }],
    ['tool_result', 'r2', { tool_call_id: 't2', content: 'x'.repeat(100_000), is_error: false }],
    ['assistant', 'a3', `It is\nlong: ${'word '.repeat(1000)}`],
    ['tool_call', 'c3', { tool_call_id: 't3', name: 'Edit', input: { file_path: 'src/b.ts' } }],
  ] as const
  await storeSession(place, 'demo', { said })
  await runWell(['rename', 'demo', 'Fix the \u001b[31mparser'], place)
  const args = ['resume', 'demo', '--mode', 'inspect']
  const rows = (await runWell(args, place)).trimEnd().split('\n')
  expect(rows.map((row) => row.slice(0, 40).trimEnd())).toEqual([
    'Session        Fix the [31mparser',
    'Last activity  2026-01-01',
    'Messages       11',
    'Last prompt    list the files',
    'Last reply     It is long: word word wor',
    'Open call      Edit {"file_path":"src/b.',
    'Files          src/b.ts, src/a.ts',
  ])
  const { stdout } = await runInTerminal([...args, '--root', place.root], {
    columns: 60,
    env: { NO_COLOR: '1' },
  })
  for (const row of stdout.split('\n')) expect(row.length).toBeLessThanOrEqual(60)
})
