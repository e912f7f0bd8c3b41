import { appendFileSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rowsOf, runCli, runInTerminal, runWell } from '../command-line.js'
import { CHAT, eventsIn, newPlace, openSession, storeSession } from '../stored.js'

/** So many lines of a result are shown. */
const RESULT_LINES = 5

const uuidsOf = (stdout: string) => rowsOf(stdout).map(({ uuid }) => uuid)

test('show prints the conversation with times, names and indented tools', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const { stdout, stderr, exitCode } = await runCli(['show', 'demo'], place)
  expect(stdout).toBe(
    `${[
      'User  2026-01-01T00:00:01Z  u1',
      'hello',
      '',
      'Assistant  2026-01-01T00:00:02Z  a1',
      'Hi.',
      '',
      'User  2026-01-01T00:00:03Z  u2',
      'list the files',
      '',
      'Assistant  2026-01-01T00:00:04Z  c1',
      '  → Bash {"command":"ls"}',
      '  ← a.txt',
      '    b.txt',
      '',
      'Assistant  2026-01-01T00:00:06Z  a2',
      'Two files.',
    ].join('\n')}\n`,
  )
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
})

test('show clips tools and keeps what was said, show --projected clips nothing', async (t) => {
  const place = newPlace(t)
  const result = Array.from({ length: 9 }, (_, index) => `row ${index} ${'x'.repeat(300)}`)
  await storeSession(place, 'demo', {
    said: [
      ['user', 'u1', `line\n\tindented\n${'y'.repeat(500)}`],
      ['assistant', 'a1', { content: [{ type: 'tool_use', id: 't', name: 'Read', input: {} }] }],
      [
        'user',
        'r1',
        {
          content: [
            { type: 'tool_result', tool_use_id: 't', is_error: true, content: result.join('\n') },
          ],
        },
      ],
      ['assistant', 'a2', { content: [{ type: 'thinking', thinking: 'hm' }, { type: 'image' }] }],
    ],
  })
  const clipped = await runWell(['show', 'demo'], place)
  expect(clipped).toContain(
    `line\n\tindented\n${'y'.repeat(500)}\n\nAssistant  2026-01-01T00:00:02Z  a1\n  → Read {}\n  ✗ row 0 xxx`,
  )
  expect(clipped).toContain('    … 4 more lines\n')
  expect(clipped).toContain('  [thinking: hm]\n  [image]\n')
  for (const row of clipped.split('\n').filter((row) => row.includes('row '))) {
    expect(row.length).toBeLessThanOrEqual(200)
    expect(row.endsWith('…')).toBe(true)
  }
  const whole = await runWell(['show', 'demo', '--projected'], place)
  for (const row of result) expect(whole).toContain(row)
})

test('what a log holds cannot move the cursor', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', {
    said: [
      ['user', 'u1', 'one\u001b[2Jtwo\u202e\r\nthree\u0007'],
      ['tool_call', 'c1', { tool_call_id: 't', name: 'B\u001b]0;x\u0007', input: {} }],
      ['tool_result', 'r1', { tool_call_id: 't', content: '\u009b31mred', is_error: false }],
    ],
  })
  for (const view of [[], ['--raw'], ['--projected'], ['--text']]) {
    const stdout = await runWell(['show', 'demo', ...view], place)
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  }
  const { stdout } = await runInTerminal(['show', 'demo', '--root', place.root])
  expect(stdout).not.toContain('\u001b[2J')
  expect(stdout).toContain('\u001b[1m\u001b[36mUser')
})

// Requirement: 003-45
test('after a compaction show marks the summary, and --raw still has everything', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  const { summaryUuid, boundaryUuid } = await session.compact({
    summary: 'They said hello.',
    keepFrom: 'u2',
  })
  await session.append({ type: 'user', uuid: 'u3', payload: { content: 'go on' } })
  await session.rename('Files')
  await session.release()
  const stdout = await runWell(['show', 'demo'], place)
  expect(stdout).toMatch(/^Summary {2}\S+ {2}\S+\nThey said hello.\n\nUser {2}\S+ {2}u2\n/)
  expect(stdout).toContain(`\n── compacted up to here (1: ${boundaryUuid}) ──\n\nUser`)
  expect(stdout).not.toContain('Hi.')
  expect(uuidsOf(await runWell(['show', 'demo', '--json'], place))).toEqual([
    summaryUuid,
    'u2',
    'c1',
    'r1',
    'a2',
    'u3',
  ])
  const raw = await runWell(['show', 'demo', '--raw'], place)
  expect(raw).toMatch(/^· session_header /)
  for (const words of ['Hi.', 'They said hello.', '── compacted: 2 messages', 'go on']) {
    expect(raw).toContain(words)
  }
  expect(raw).toMatch(/\n· session_meta \(off-chain\) .* Files\n/)
  const lines = rowsOf(await runWell(['show', 'demo', '--raw', '--json'], place))
  expect(lines).toEqual(eventsIn(session.path))
})

test('show --json prints the events as they are stored', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  const [, ...messages] = eventsIn(path)
  expect(rowsOf(await runWell(['show', 'demo', '--json'], place))).toEqual(messages)
})

test('show --projected --json prints the messages that resume has', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: CHAT.slice(0, 4) })
  const rows = rowsOf(await runWell(['show', 'demo', '--projected', '--json'], place))
  const inspected = JSON.parse(
    await runWell(['resume', 'demo', '--mode', 'inspect', '--json'], place),
  )
  expect(rows).toEqual(inspected.messages)
  expect(rows.at(-1)).toMatchObject({ type: 'tool_result', synthetic: true })
})

test('show --at shows what was seen then, with the summary of then', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  const { summaryUuid, boundaryUuid } = await session.compact({ summary: 'first words' })
  await session.append({ type: 'user', uuid: 'u3', payload: { content: 'go on' } })
  await session.append({
    type: 'summary_revision',
    payload: {
      summary_event_uuid: summaryUuid,
      boundary_uuid: boundaryUuid,
      text: 'better words',
      attempt: 1,
      final: true,
    },
  })
  await session.release()
  const now = await runWell(['show', 'demo'], place)
  expect(now).toContain('better words')
  const then = await runWell(['show', 'demo', '--at', boundaryUuid], place)
  expect(then).toContain('first words')
  expect(then).not.toContain('go on')
  const before = uuidsOf(await runWell(['show', 'demo', '--at', 'a1', '--json'], place))
  expect(before).toEqual(['u1', 'a1'])
  const raw = uuidsOf(await runWell(['show', 'demo', '--at', 'a1', '--raw', '--json'], place))
  expect(raw.slice(1)).toEqual(['u1', 'a1'])
})

// Requirement: 001-71
test('show --text prints what was said, one line a turn, whatever was compacted', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo', {
    said: [
      ['system', 's1', 'be good'],
      ['user', 'u1', 'two\nlines\r\n\there'],
      [
        'assistant',
        'a1',
        {
          content: [
            { type: 'text', text: 'Let me\nsee.' },
            { type: 'tool_use', id: 't', name: 'Bash', input: {} },
          ],
        },
      ],
      ['user', 'r1', { content: [{ type: 'tool_result', tool_use_id: 't', content: 'secret' }] }],
      ['tool_call', 'c1', { tool_call_id: 'x', name: 'Bash', input: {} }],
      ['tool_result', 'r2', { tool_call_id: 'x', content: 'secret', is_error: false }],
    ],
  })
  await session.compact({ summary: 'a summary' })
  await session.append({ type: 'user', uuid: 'u2', payload: { content: 'thanks' } })
  await session.release()
  expect(await runWell(['show', 'demo', '--text'], place)).toBe(
    'User: two lines here\nAssistant: Let me see.\nUser: thanks\n',
  )
  expect(await runWell(['show', 'demo', '--text', '--at', 'a1'], place)).toBe(
    'User: two lines here\nAssistant: Let me see.\n',
  )
  const rows = rowsOf(await runWell(['show', 'demo', '--text', '--json'], place))
  expect(rows.map(({ type, uuid, text }) => [type, uuid, text])).toEqual([
    ['user', 'u1', 'two lines here'],
    ['assistant', 'a1', 'Let me see.'],
    ['user', 'u2', 'thanks'],
  ])
})

test('show --text redacts what it serves; the other views are faithful', async (t) => {
  const place = newPlace(t)
  const key = `ghp_${'c4N4'.repeat(9)}`
  await storeSession(place, 'demo', {
    said: [
      ['user', 'u1', `my key is ${key}`],
      ['assistant', 'a1', { content: [{ type: 'text', text: `use\nghp_\u200b${key.slice(4)}` }] }],
      ['user', 'u2', '{"env":{"DB_PASSWORD":"hunter22"}}'],
    ],
  })
  expect(await runWell(['show', 'demo', '--text'], place)).toBe(
    'User: my key is [REDACTED]\nAssistant: use [REDACTED]\n' +
      'User: {"env":{"DB_PASSWORD":"[REDACTED]"}}\n',
  )
  const [first] = rowsOf(await runWell(['show', 'demo', '--text', '--json'], place))
  expect(first).toMatchObject({ uuid: 'u1', text: 'my key is [REDACTED]' })
  for (const view of [[], ['--raw'], ['--projected']]) {
    expect(await runWell(['show', 'demo', ...view], place)).toContain(key)
    expect(await runWell(['show', 'demo', '--json', ...view], place)).toContain(key)
  }
  expect(await runWell(['show', '--help'])).toMatch(/--text .*secrets redacted/)
})

test('show takes a file, continues after damage, and marks it in --raw', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  appendFileSync(path, 'oops\n{"type":"us')
  expect(await runWell(['show', path])).toMatch(/Two files\.\n$/)
  const raw = await runWell(['show', path, '--raw'])
  expect(raw).toMatch(/\n── damage at byte \d+: .* ──\n\n── torn at byte \d+: .* ──\n$/)
  const asJson = await runCli(['show', path, '--raw', '--json'])
  expect(rowsOf(asJson.stdout)).toHaveLength(7)
  expect(asJson.stderr.trimEnd().split('\n')).toHaveLength(2)
})

test('show says where an earlier session is missing', async (t) => {
  const place = newPlace(t)
  const parent = await storeSession(place, 'demo')
  await runWell(['resume', 'demo', '--id', 'child'], place)
  await runWell(['append', 'child', '--type', 'user', '--payload', '{"content":"go on"}'], place)
  expect(await runWell(['show', 'child'], place)).toMatch(/^User .* u1\nhello\n[\s\S]*\ngo on\n$/)
  rmSync(parent)
  const stdout = await runWell(['show', 'child'], place)
  expect(stdout).toMatch(/^── the session that this one continues is missing ──\n\nUser/)
})

test('show of a session in which nothing was said exits with 1', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'silent', { said: [] })
  for (const view of [[], ['--projected'], ['--text']]) {
    expect(await runCli(['show', 'silent', ...view], place)).toEqual({
      stdout: '',
      stderr: `There is no message in ${path} yet\n`,
      exitCode: 1,
    })
  }
})

test.each([
  [['show'], 'show needs a session, a file, or --pick', 2],
  [['show', 'demo', '--raw', '--text'], 'cannot be combined', 2],
  [['show', 'demo', '--raw', '--projected'], 'cannot be combined', 2],
  [['show', 'nobody'], 'ERR_NOT_FOUND', 3],
  [['show', './nobody.jsonl'], 'ERR_NOT_FOUND', 3],
])('%j is refused', async (args, reason, exitCode) => {
  const answer = await runCli(args)
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode })
})

test.for([{ view: [] }, { view: ['--raw'] }, { view: ['--text'] }])(
  'an event that is not there is not found: $view',
  async ({ view }, t) => {
    const place = newPlace(t)
    await storeSession(place, 'demo')
    const answer = await runCli(['show', 'demo', '--at', 'nobody', ...view], place)
    expect(answer.stderr).toContain('No event "nobody"')
    expect(answer).toMatchObject({ stdout: '', exitCode: 3 })
  },
)

test('show says how much of a result it left out, and that there was none', async (t) => {
  const place = newPlace(t)
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `row ${index}`)
  const result = (uuid: string, id: string, content: string) =>
    ['tool_result', uuid, { tool_call_id: id, content, is_error: false }] as const
  const call = (uuid: string, id: string) =>
    ['tool_call', uuid, { tool_call_id: id, name: 'Read', input: {} }] as const
  await storeSession(place, 'demo', {
    said: [
      ['user', 'u1', 'look'],
      call('c1', 't1'),
      result('r1', 't1', lines(RESULT_LINES + 1).join('\n')),
      call('c2', 't2'),
      result('r2', 't2', ''),
      call('c3', 't3'),
    ],
  })
  const stdout = await runWell(['show', 'demo'], place)
  expect(stdout).toMatch(/\n +… 1 more line\n/)
  expect(stdout).toContain('  ← (nothing)\n')
  // The last call has no result, and a model must be given one.
  expect(await runWell(['show', 'demo', '--projected'], place)).toContain('no result recorded')
})
