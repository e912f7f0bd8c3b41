// A check of a whole log: it reads everything, writes nothing, and says what is wrong and where.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { verifyLog } from '../../../lib/free-functions.js'
import { openLog } from '../../../lib/log/index.js'
import { bareLine, foreignLine, line } from '../../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'

const fixtures = new URL('../../../fixtures/v1/', import.meta.url)

for (const name of readdirSync(fixtures)) {
  // Requirement: T11
  test(`fixture ${name}: every oddity is a finding, and the file is untouched`, async () => {
    const path = fileURLToPath(new URL(`${name}/session.jsonl`, fixtures))
    const expected = JSON.parse(
      readFileSync(new URL(`${name}/expected.json`, fixtures), 'utf8'),
    ) as { entries: { codes?: string[] }[]; findings?: string[] }
    const before = fingerprint(path)
    const { findings } = await verifyLog(path)
    const codes = findings.map(({ code }) => code).filter((code) => code !== 'bad_payload')
    const inLines = expected.entries.flatMap(({ codes = [] }) => codes)
    for (const code of inLines) expect(codes).toContain(code)
    for (const code of expected.findings ?? []) expect(codes).toContain(code)
    expect(fingerprint(path)).toEqual(before)
  })
}

function fingerprint(path: string) {
  const { mtimeMs, size, ino } = statSync(path)
  return { mtimeMs, size, ino, sha: createHash('sha256').update(readFileSync(path)).digest('hex') }
}

// Requirement: 003-18
test('a clean session has no findings and is reachable to its last event', async (t) => {
  const path = `${temporaryFolder(t)}/s.jsonl`
  const log = await openLog(path)
  const lib = { name: 'x', version: '1', capture: 'native' } as const
  const start_ts = '2026-01-31T12:00:00.000Z'
  await log.appendAll([
    {
      type: 'session_header',
      payload: { format: 1, session_id: 's', start_ts, resumed_from: null, lib },
    },
    { type: 'user', payload: { content: 'a' } },
    { type: 'session_meta', payload: { title: 'T' } },
    { type: 'assistant', payload: { content: 'b' } },
  ])
  await log.close()
  expect(await verifyLog(path)).toEqual({ path, events: 4, onChain: 3, reachable: 3, findings: [] })
})

test('a damaged line is a finding with its byte range; what follows it stays reachable', async (t) => {
  const lines = [
    line('session_header', { uuid: 'h', payload: header() }),
    line('user', { uuid: 'a', prev_uuid: 'h', payload: { content: 'a' } }),
    line('user', { uuid: 'b', prev_uuid: 'a', payload: { content: 'b' } }),
    line('user', { uuid: 'c', prev_uuid: 'b', payload: { content: 'c' } }),
  ]
  lines[2]![lines[2]!.lastIndexOf('b')]! ^= 3
  const path = temporaryFile(t, 's.jsonl', Buffer.concat(lines))
  const report = await verifyLog(path)
  const offset = lines[0]!.length + lines[1]!.length
  expect(report).toMatchObject({ events: 3, reachable: 3, onChain: 3 })
  expect(report.findings).toMatchObject([
    { code: 'crc_mismatch', byte_offset: offset, length: lines[2]!.length - 1, line_number: 3 },
    { code: 'dangling_prev', uuid: 'c', line_number: 4 },
  ])
})

function header() {
  return {
    format: 1,
    session_id: 's',
    start_ts: '2026-01-31T12:00:00.000Z',
    resumed_from: null,
    lib: { name: 'x', version: '1', capture: 'native' },
  }
}

test('an abandoned branch is on the chain and not reachable', async (t) => {
  const lines = [
    line('session_header', { uuid: 'h', payload: header() }),
    line('user', { uuid: 'a', prev_uuid: 'h', payload: { content: 'a' } }),
    line('user', { uuid: 'b', prev_uuid: 'a', payload: { content: 'b' } }),
    line('user', { uuid: 'c', prev_uuid: 'a', payload: { content: 'c' } }),
  ]
  const path = temporaryFile(t, 's.jsonl', Buffer.concat(lines))
  expect(await verifyLog(path)).toMatchObject({ events: 4, onChain: 4, reachable: 3, findings: [] })
})

test('counts an oversize line as an event, and an object that is no event as damage', async (t) => {
  const ts = '2026-01-31T12:00:00.000Z'
  const content = 'a'.repeat(65 * 2 ** 20)
  const lines = [
    line('session_header', { uuid: 'h', payload: header() }),
    foreignLine({ type: 'user', ts, uuid: 'a', prev_uuid: 'h', payload: { content } }),
    Buffer.from('{}\n'),
    line('user', { uuid: 'b', prev_uuid: 'a', payload: { content: 'b' } }),
  ]
  const path = temporaryFile(t, 's.jsonl', Buffer.concat(lines))
  const { findings, ...counts } = await verifyLog(path)
  expect(counts).toEqual({ path, events: 3, onChain: 3, reachable: 3 })
  expect(findings.map(({ code }) => code)).toEqual(['oversize_line', 'unverified', 'bad_line'])
})

test('reports a payload that does not match its type', async (t) => {
  const bytes = line('user', { uuid: 'a', payload: { text: 'no content' } })
  const report = await verifyLog(temporaryFile(t, 's.jsonl', bytes))
  expect(report.findings.map(({ code }) => code)).toEqual(['bad_payload', 'missing_header'])
})

test('checks a history as a history', async (t) => {
  const good = { ts: '2026-01-31T12:00:00.000Z', prompt: 'x', session_id: 's' }
  const path = temporaryFile(
    t,
    'history.jsonl',
    Buffer.concat([bareLine(good), foreignLine({ ts: 1, prompt: 2 })]),
  )
  const report = await verifyLog(path)
  expect(report.events).toBe(2)
  expect(report.findings.map(({ code }) => code)).toEqual(['unverified', 'bad_line'])
})
