import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSession } from '../../../lib/free-functions.js'
import { appendCheckpoint, openContext } from '../../../lib/store/index.js'
import { DAY_MS } from '../../store/checkpoints/checkpoint-lines.js'
import { runCli, runWell } from '../command-line.js'
import { contentsOf, newPlace, type Place, storeSession } from '../stored.js'

async function store(place: Place, ...args: string[]): Promise<{ id: string; duplicate: boolean }> {
  return JSON.parse(await runWell(['checkpoint', 'add', ...args, '--json'], place))
}

test('checkpoint add stores a digest of a person, and of an agent once per run', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  expect(await runWell(['checkpoint', 'demo', '--digest', 'Half done'], place)).toMatch(
    /^stored checkpoint \S+ of demo\n$/,
  )
  const run = ['demo', '--digest', 'Done', '--run-id', 'r1', '--summary', 'All of it']
  const { id, duplicate } = await store(place, ...run)
  expect(duplicate).toBe(false)
  expect(await store(place, ...run)).toEqual({ id, sessionId: 'demo', duplicate: true })
  const stdin = { ...place, input: 'from stdin' }
  await runWell(['checkpoint', 'demo', '--digest', '-', '--agent-digest'], stdin)
  const listed = JSON.parse(await runWell(['checkpoint', 'list', '--json'], place))
  expect(listed).toMatchObject([
    { digest: 'from stdin', trigger: 'agent', project_normalized: place.cwd },
    { id, digest: 'Done', trigger: 'agent', session_summary: 'All of it', agent_run_id: 'r1' },
    { digest: 'Half done', trigger: 'explicit' },
  ])
})

test('checkpoint add of an unknown session needs --project; the earlier spelling works', async (t) => {
  const place = newPlace(t)
  const args = ['checkpoint', 'other', '--digest', 'x']
  expect(await runCli(args, place)).toMatchObject({ stdout: '', exitCode: 3 })
  await runWell([...args, '--project', place.cwd], place)
  expect(await runCli(['checkpoint', 'other'], place)).toMatchObject({ exitCode: 2 })
  expect(
    await runCli(['checkpoint', 'other', '--digest', ' ', '--project', '.'], place),
  ).toMatchObject({
    exitCode: 2,
  })
})

// Requirements: 000-35, 000-68
test('checkpoints are listed by project, session and scope, newest first', async (t) => {
  const place = newPlace(t)
  const elsewhere = newPlace(t).cwd
  await storeSession(place, 'demo')
  const first = await store(place, 'demo', '--digest', 'one')
  const second = await store(place, 'demo', '--digest', 'two')
  const third = await store(place, 'away', '--digest', 'three', '--project', elsewhere)
  const ids = async (...args: string[]) =>
    JSON.parse((await runCli(['checkpoint', 'list', ...args, '--json'], place)).stdout).map(
      ({ id }: { id: string }) => id,
    )
  expect(await ids()).toEqual([second.id, first.id])
  expect(await ids('--session', 'demo')).toEqual([second.id, first.id])
  expect(await ids('--session', 'demo', '--limit', '1')).toEqual([second.id])
  expect(await ids('--project', elsewhere)).toEqual([third.id])
  expect(await ids('--scope', 'all')).toHaveLength(3)
  expect(await runWell(['checkpoint', 'list', '--limit', '1'], place)).toBe(
    `${second.id}  just now  explicit  demo  0 prompts\n`,
  )
  expect(await runCli(['checkpoint', 'list', '--scope', 'some'], place)).toMatchObject({
    exitCode: 2,
  })
  const none = await runCli(['checkpoint', 'list', '--session', 'none', '--json'], place)
  expect(none).toMatchObject({ stdout: '[]\n', exitCode: 1 })
})

// Requirement: 000-67
test('a project lists its ten newest checkpoints by default', async (t) => {
  const place = newPlace(t)
  const { root, cwd } = place
  for (let number = 1; number <= 12; number++) {
    const record = { trigger: 'periodic', harness: 'test', prompt_count: 1 } as const
    const digest = `digest ${number}`
    await appendCheckpoint(openContext({ root }), {
      ...record,
      session_key: 's',
      digest,
      project: cwd,
    })
  }
  const listed = async (...args: string[]) =>
    JSON.parse(await runWell(['checkpoint', 'list', '--json', ...args], place))
  expect(await listed('--project', cwd)).toHaveLength(10)
  expect((await listed())[0].digest).toBe('digest 12')
  expect(await listed('--limit', '11')).toHaveLength(11)
})

test('checkpoint show prints one in full; the earlier spelling works', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const { id } = await store(place, 'demo', '--digest', 'one\ntwo')
  expect(await runWell(['checkpoint', 'show', id], place)).toBe('one\ntwo\n')
  const shown = JSON.parse(await runWell(['checkpoints', 'show', id, '--json'], place))
  expect(shown).toMatchObject({ id, session_key: 'demo', visible: true })
  expect(await runCli(['checkpoints', 'show', 'none'], place)).toMatchObject({ exitCode: 3 })
})

// Requirements: 000-36, 000-37, 000-38, 000-82
test('checkpoint prune is a plan without --apply', async (t) => {
  const place = newPlace(t)
  const { root, cwd } = place
  const old = async (session_key: string, digest: string, days: number) =>
    appendCheckpoint(
      openContext({ root, environment: { now: () => Date.now() - days * DAY_MS } }),
      { session_key, trigger: 'periodic', harness: 'test', prompt_count: 1, digest, project: cwd },
    )
  await old('demo', 'nine days', 9)
  await old('demo', 'eight days', 8)
  await old('other', 'young', 6)
  const { path } = await old('other', 'today', 0)
  const digests = async () =>
    JSON.parse(await runWell(['checkpoint', 'list', '--json'], place)).map(
      ({ digest }: { digest: string }) => digest,
    )
  const visible = ['today', 'young', 'eight days']
  expect(await digests()).toEqual(visible)
  const before = contentsOf(root)
  expect(await runCli(['checkpoint', 'prune'], place)).toMatchObject({ stdout: '', exitCode: 0 })
  expect(await runWell(['checkpoint', 'prune', '--force'], place)).toMatch(/^would drop 1 record/)
  expect(contentsOf(root)).toEqual(before)
  const report = JSON.parse(
    await runWell(['checkpoint', 'prune', '--force', '--apply', '--json'], place),
  )
  expect(report).toMatchObject({ shards: [{ recordsDropped: 1 }] })
  expect(readFileSync(path, 'utf8')).not.toContain('nine days')
  expect(await digests()).toEqual(visible)
  await old('demo', 'seven and a half', 7.5)
  const applied = await runCli(['checkpoint', 'prune', '--force', '--apply'], place)
  expect(applied.stdout).toMatch(/^dropped 1 record, .*\n$/)
  expect(applied.stderr).not.toContain('--apply')
})

// Requirement: 000-74
test('recover shows what the next session should know, and writes nothing', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  expect(await runCli(['recover', '--json'], place)).toMatchObject({
    stdout: 'null\n',
    exitCode: 1,
  })
  const { id } = await store(place, 'demo', '--digest', 'Half done')
  const before = contentsOf(place.root)
  expect(await runWell(['recover'], place)).toMatch(/^## Session Recovery Context\n/)
  const recovered = async (...args: string[]) =>
    JSON.parse(await runWell(['recover', '--json', ...args], place))
  const found = await recovered()
  expect(Object.keys(found)).toEqual(['checkpoint', 'matchedBy', 'ageMs', 'text', 'from'])
  expect(found).toMatchObject({ checkpoint: { id }, matchedBy: 'project' })
  expect(await recovered('--session', 'demo')).toMatchObject({ matchedBy: 'session' })
  const far = { ...place, cwd: newPlace(t).cwd }
  const lineage = await runWell(['recover', '--previous', 'demo', '--json'], far)
  expect(JSON.parse(lineage)).toMatchObject({ matchedBy: 'lineage' })
  expect(await runCli(['recover'], far)).toMatchObject({ stdout: '', exitCode: 1 })
  expect(JSON.parse(await runWell(['recover', '--all', '--json'], far))).toMatchObject({
    matchedBy: 'project',
  })
  expect((await runCli(['recover', '--source', 'clear'], place)).exitCode).toBe(1)
  expect((await runCli(['recover', '--source', 'reboot'], place)).exitCode).toBe(2)
  expect(contentsOf(place.root)).toEqual(before)
})

test('recover and start --within look further back', async (t) => {
  const place = newPlace(t)
  const options = { root: place.root, home: place.root, project: place.cwd }
  const environment = { now: () => Date.now() - 5 * 60 * 60 * 1000 }
  const session = await createSession({ ...options, id: 'cut-off', environment })
  await session.append({ type: 'user', payload: { content: 'dig a well' } })
  await session.release()
  expect(await runCli(['recover'], place)).toMatchObject({ stdout: '', exitCode: 1 })
  expect(await runWell(['recover', '--within', '6h'], place)).toContain('- dig a well')
  expect(await runWell(['start', '--within', '6h'], place)).toContain('- dig a well')
  expect(await runWell(['start'], place)).not.toContain('- dig a well')
  expect((await runCli(['recover', '--within', 'long'], place)).exitCode).toBe(2)
})

test('recover --budget cuts the text and marks the cut', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  await store(place, 'demo', '--digest', 'word '.repeat(400))
  const { text } = JSON.parse(await runWell(['recover', '--budget', '300', '--json'], place))
  expect(text.length).toBeLessThanOrEqual(300)
  expect(text).toMatch(/\n\[truncated\]\n<\/recovered-\w+>$/)
})

test('start shows the context of this project', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  await store(place, 'demo', '--digest', 'Half done', '--summary', 'The parser is half done')
  const text = await runWell(['start'], place)
  expect(text).toContain('## Recent sessions\n- The parser is half done\n')
  expect(text).toContain('## Session Recovery Context')
  const answer = JSON.parse(await runWell(['start', '--json', '--max-chars', '2000'], place))
  expect(answer).toMatchObject({
    agentLabel: 'default',
    sessionContext: { recentSessions: [{ sessionId: 'demo' }] },
    recovery: { matchedBy: 'project' },
    isFirstConnection: false,
  })
  const none = JSON.parse(await runWell(['start', '--json', '--mode', 'none'], place))
  expect(none.sessionContext.recentSessions).toEqual([])
  expect((await runCli(['start', '--mode', 'huge'], place)).exitCode).toBe(2)
})

test('start says that a session is the first, and that a checkpoint is due', async (t) => {
  const place = newPlace(t)
  expect(await runWell(['start', '--all'], place)).toBe('# default (first session)\n')
  await storeSession(place, 'demo')
  const text = await runWell(['start', '--session', 'demo', '--nudge-after', '1'], place)
  expect(text).toMatch(/^# default \(first session\)\n\n2 prompts since the last checkpoint/)
})

test('relocate includes an old folder in a new one', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  await store(place, 'demo', '--digest', 'Half done')
  const moved = { ...place, cwd: newPlace(t).cwd }
  expect((await runCli(['recover'], moved)).exitCode).toBe(1)
  expect(await runWell(['relocate', place.cwd, '.'], moved)).toBe(
    `${moved.cwd} now includes ${place.cwd}\n`,
  )
  await runWell(['recover'], moved)
  expect(readFileSync(join(place.root, 'relocations.jsonl'), 'utf8')).toContain(place.cwd)
  expect((await runCli(['relocate', '.', '.'], moved)).exitCode).toBe(2)
})
