// Foreign transcripts on the command line, by the built binary: found, imported, and then used.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, type TestContext, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { FOREIGN } from '../../contracts/foreign-files.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { runCli, runInTerminal, runWell } from '../command-line.js'

const CLAUDE = '11111111-1111-4111-8111-111111111111'
const CODEX = '22222222-2222-4222-8222-222222222222'

/** A home folder with transcripts of all four programs. */
function setUp(t: TestContext) {
  const home = temporaryFolder(t)
  const put = (fixture: string, ...place: string[]) => {
    const path = join(home, ...place)
    mkdirSync(dirname(path), { recursive: true })
    cpSync(join(FOREIGN, fixture), path)
    return path
  }
  const claude = put(
    'claude-code/plain.jsonl',
    '.claude',
    'projects',
    '-home-ada-app',
    `${CLAUDE}.jsonl`,
  )
  put('codex/plain.jsonl', 'codex', 'sessions', '2026', '01', '31', `rollout-x-${CODEX}.jsonl`)
  put('pi/plain.jsonl', '.pi', 'agent', 'sessions', '--home-ada-app--', '2026_5.jsonl')
  put('gemini/plain.jsonl', '.gemini', 'tmp', 'abc', 'chats', 'session-2026-8.jsonl')
  const root = join(home, 'store')
  return { root, claude, env: { HOME: home, CODEX_HOME: join(home, 'codex') } }
}

it('import without a path exits with 1 where no transcripts are found', async (t) => {
  const home = temporaryFolder(t)
  const env = { HOME: home, CODEX_HOME: join(home, 'codex') }
  const answer = await runCli(['import'], { root: join(home, 'store'), env })
  expect(answer).toMatchObject({ stdout: '', exitCode: 1 })
  expect(answer.stderr).toContain('no transcripts at the known locations; name a path')
})

it('import without a path lists the known locations and imports nothing', async (t) => {
  const { root, env } = setUp(t)
  const answer = await runCli(['import'], { root, env })
  const rows = answer.stdout.trim().split('\n')
  expect(rows.map((row) => row.split('\t').slice(0, 2))).toEqual([
    ['claude-code', '1'],
    ['codex', '1'],
    ['pi', '1'],
    ['gemini', '1'],
  ])
  expect(answer).toMatchObject({ exitCode: 0 })
  expect(answer.stderr).toContain('--all')
  const json = JSON.parse(await runWell(['import', '--json', '--from', 'pi'], { root, env }))
  expect(json).toMatchObject([{ format: 'pi', files: [expect.stringContaining('2026_5.jsonl')] }])
  const listed = await runCli(['list', '--all', '--json'], { root })
  expect(JSON.parse(listed.stdout).sessions).toEqual([])
})

// Requirement: 001-23
it('import --all imports everything and reports every loss; again it exits with 0', async (t) => {
  const { root, env } = setUp(t)
  const reports = JSON.parse(await runWell(['import', '--all', '--json'], { root, env }))
  expect(reports.map(({ format }: { format: string }) => format)).toEqual([
    'claude-code',
    'codex',
    'pi',
    'gemini',
  ])
  expect(reports[0]).toMatchObject({
    sessionId: CLAUDE,
    lines: 15,
    events: 15,
    dropped: { permission_state: 4, stream_part: 1 },
    repaired: {},
    skipped: null,
  })
  const { sessions } = JSON.parse(await runWell(['list', '--all', '--json'], { root }))
  expect(sessions).toHaveLength(4)
  const again = await runCli(['import', '--all'], { root, env })
  expect(again.stdout.match(/^unchanged /gm)).toHaveLength(4)
  expect(again.exitCode).toBe(0)
})

it('resume, search, show and verify work on imported sessions', async (t) => {
  const { root, env } = setUp(t)
  await runWell(['import', '--all'], { root, env })
  const resumed = JSON.parse(await runWell(['resume', CODEX, '--json'], { root }))
  expect(resumed.resumedFrom).toMatchObject({ sessionId: CODEX })
  expect(resumed.messages).toHaveLength(9)
  expect(await runWell(['search', 'list the files'], { root })).toContain(CODEX)
  expect(await runWell(['show', CLAUDE.slice(0, 8)], { root })).toContain('rename the config key')
  await runWell(['verify', '--all'], { root })
})

it('import of one file reports what it imported and dropped', async (t) => {
  const { root, claude } = setUp(t)
  const dry = await runWell(['import', claude, '--dry-run'], { root })
  expect(dry).toContain(`would import ${CLAUDE} from claude-code: 15 lines, 15 events\n`)
  const report = await runWell(['import', claude], { root })
  expect(report).toContain(`imported ${CLAUDE} from claude-code: 15 lines, 15 events\n`)
  expect(report).toContain('  dropped 4: permission modes')
})

it('a file that is not a transcript is rejected and does not stop the others', async (t) => {
  const { root, claude } = setUp(t)
  const array = join(FOREIGN, 'refused', 'json_array.json')
  const gone = join(FOREIGN, 'gone.jsonl')
  const answer = await runCli(['import', array, gone, claude], { root })
  expect(answer.stdout).toContain('one JSON array')
  expect(answer.stdout).toContain('gone.jsonl')
  expect(answer.stdout).toContain(`imported ${CLAUDE}`)
  expect(answer.exitCode).toBe(2)
  expect((await runCli(['import', gone], { root })).exitCode).toBe(3)
  expect((await runCli(['import', claude, '--from', 'word'], { root })).exitCode).toBe(2)
  expect((await runCli(['import', claude, '--all'], { root })).exitCode).toBe(2)
})

it('a folder is imported file by file, without a word about progress within the first second', async (t) => {
  const { root, claude } = setUp(t)
  const env = { JSONL_SESSION_ROOT: root, JSONL_SESSION_HOME: root }
  const folder = dirname(claude)
  cpSync(join(FOREIGN, 'pi', 'plain.jsonl'), join(folder, 'other.jsonl'))
  const args = ['import', folder, '--root', root, '--home', root]
  const answer = await runInTerminal(args, { env })
  expect(answer.stdout.match(/^imported /gm)).toHaveLength(2)
  expect(answer.stderr).toBe('')
})

it('after a second, a terminal shows which file is imported', async (t) => {
  const { root, claude } = setUp(t)
  const env = { JSONL_SESSION_ROOT: root, JSONL_SESSION_HOME: root }
  cpSync(join(FOREIGN, 'pi', 'plain.jsonl'), join(dirname(claude), 'other.jsonl'))
  let now = Date.now()
  const clock = vi.spyOn(systemEnvironment, 'now').mockImplementation(() => {
    now += 600
    return now
  })
  t.onTestFinished(() => clock.mockRestore())
  const args = ['import', dirname(claude), '--root', root, '--home', root]
  const answer = await runInTerminal(args, { env })
  expect(answer.stderr).toContain('importing 2/2 other.jsonl')
})

it('an export of our own is recognised by its first line and becomes an equal session', async (t) => {
  const { root, env, claude } = setUp(t)
  await runWell(['import', claude], { root, env })
  const file = join(dirname(claude), 'export.jsonl')
  await runWell(['export', CLAUDE, '--output', file], { root })
  const elsewhere = temporaryFolder(t)
  const dry = ['import', file, '--dry-run', '--json']
  const [planned] = JSON.parse(await runWell(dry, { root: elsewhere, env }))
  expect(planned).toMatchObject({ format: 'jsonl-session', sessionId: CLAUDE, skipped: null })
  expect((await runCli(['list', '--all', '--json'], { root: elsewhere })).stdout).toContain('[]')
  const [report] = JSON.parse(await runWell(['import', file, '--json'], { root: elsewhere, env }))
  expect(report).toEqual(planned)
  const shown = (place: string) => runWell(['show', CLAUDE, '--raw'], { root: place })
  expect(await shown(elsewhere)).toBe(await shown(root))
  const again = await runCli(['import', file, '--json'], { root: elsewhere, env })
  expect(again.exitCode).toBe(0)
  expect(JSON.parse(again.stdout)).toMatchObject([{ events: 0, skipped: { reason: 'unchanged' } }])
})

it('imported sessions are found by grep and counted by stats like any other', async (t) => {
  const { root, env } = setUp(t)
  await runWell(['import', '--all'], { root, env })
  const hits = (await runWell(['grep', '.', '--type', 'user', '--json'], { root }))
    .trim()
    .split('\n')
  const sessions = new Set(hits.map((hit) => JSON.parse(hit).sessionId))
  expect(sessions.size).toBe(4)
  const stats = JSON.parse(await runWell(['stats', '--by', 'session', '--json'], { root }))
  expect(JSON.stringify(stats)).toContain(CODEX)
})

it('a session without times is listed without one and is not archived by age', async (t) => {
  const folder = temporaryFolder(t)
  const root = join(folder, 'store')
  const said = { type: 'user', sessionId: CLAUDE, uuid: 'a1', parentUuid: null, cwd: folder }
  const message = { role: 'user', content: 'hi there' }
  const path = join(folder, `${CLAUDE}.jsonl`)
  writeFileSync(path, `${JSON.stringify({ ...said, version: '2.0', message })}\n`)
  await runWell(['import', path], { root })
  const { sessions } = JSON.parse(await runWell(['list', '--all', '--json'], { root }))
  expect(sessions).toMatchObject([{ startedAt: null, lastActivity: null }])
  expect(await runWell(['list', '--all'], { root })).not.toContain('1970')
  const moved = await runCli(['archive', '--older-than', '30d'], { root })
  expect(moved).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('has no time') })
})
