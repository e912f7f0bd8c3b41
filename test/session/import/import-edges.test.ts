// Foreign files with lines that are blank, too large or of another session.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type ImportProgress, importSession } from '../../../lib/index.js'
import { eventsIn } from '../../cli/stored.js'
import { CLAUDE, setUp } from './foreign-source.js'

/** One more line of a user in the manner of Claude Code. */
function claudeLine(uuid: string, content: unknown, parentUuid = 'a2'): string {
  const message = { role: 'user', content }
  const more = { type: 'user', timestamp: '2026-01-02T00:00:00.000Z', sessionId: CLAUDE }
  return `${JSON.stringify({ uuid, parentUuid, isSidechain: false, ...more, message })}\n`
}

test('does not count blank lines', async (t) => {
  const { path, ...store } = setUp(t)
  const { lines, events } = await importSession(path, { ...store, dryRun: true })
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\n\n  \n'))
  const report = await importSession(path, store)
  expect(report).toMatchObject({ lines, events, repaired: {}, skipped: null })
})

test('reports progress every few megabytes', async (t) => {
  const { path, ...store } = setUp(t)
  for (let index = 0; index < 12; index++) {
    appendFileSync(path, claudeLine(`long-${index}`, 'x'.repeat(500_000)))
  }
  const reported: ImportProgress[] = []
  await importSession(path, { ...store, onProgress: (progress) => reported.push(progress) })
  expect(reported.length).toBeGreaterThan(0)
  const bytes = reported.map((progress) => progress.bytes)
  expect(bytes).toEqual(bytes.toSorted((one, other) => one - other))
  expect(reported[0]).toMatchObject({ path, size: readFileSync(path).length })
})

test('ignores a file beside a transcript that is unknown or of another session', async (t) => {
  const { path, ...store } = setUp(t)
  const folder = join(dirname(path), CLAUDE, 'subagents')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'agent-strange.jsonl'), '{"hello":"world"}\n')
  const other = claudeLine('o1', 'not yours').replace(CLAUDE, 'somebody-else')
  const foreign = other.replace('"isSidechain":false', '"isSidechain":true,"agentId":"k9"')
  writeFileSync(join(folder, 'agent-k9.jsonl'), foreign)
  const report = await importSession(path, store)
  expect(report).toMatchObject({ sidechains: [], skipped: null })
})

test('a call and a result that are nested too deeply keep their ids, so that they stay a pair', async (t) => {
  const { path, ...store } = setUp(t, 'codex/plain')
  const deep = `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`
  const item = (payload: object) =>
    `${JSON.stringify({ timestamp: '2026-01-02T00:00:00.000Z', type: 'response_item', payload })}\n`
  const call = { type: 'function_call', name: 'shell', arguments: deep, call_id: 't9' }
  const output = { type: 'function_call_output', call_id: 't9', output: '@' }
  appendFileSync(path, item(call) + item(output).replace('"@"', deep))
  const report = await importSession(path, store)
  const replaced = eventsIn(report.transcriptPath!).filter(({ payload }) =>
    JSON.stringify(payload).includes('see the source'),
  )
  expect(report.dropped.refused).toBe(replaced.length)
  expect(replaced).toMatchObject([
    { type: 'tool_call', payload: { tool_call_id: 't9', name: 'shell', input: {} } },
    { type: 'tool_result', payload: { tool_call_id: 't9', is_error: true } },
  ])
})

test('a dry run writes nothing, and has the counts of the import', async (t) => {
  const { path, ...store } = setUp(t)
  const dry = await importSession(path, { ...store, dryRun: true })
  expect(() => readFileSync(dry.transcriptPath!)).toThrow('ENOENT')
  const real = await importSession(path, store)
  expect(real.events).toBe(dry.events)
})
