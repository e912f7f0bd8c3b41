// All importers, by the contract that any new one must keep, too.

import { expect, it, test } from 'vitest'
import { findImporter, IMPORTERS } from '../../../lib/interchange/index.js'
import { foreignCases, runImporter } from '../../contracts/foreign-files.js'
import { importerContract } from '../../contracts/importer.js'

for (const importer of IMPORTERS) importerContract(importer, foreignCases(importer.format))

it('every importer has its own format name', () => {
  expect(new Set(IMPORTERS.map(({ format }) => format)).size).toBe(IMPORTERS.length)
})

/** The payloads that the plain fixture of a format becomes, by type. */
function plainPayloads(format: string, type: string): Readonly<Record<string, unknown>>[] {
  const { bytes } = foreignCases(format).find(({ name }) => name === 'plain')!
  const { events } = runImporter(findImporter(format)!, bytes)
  return events.filter((event) => event.type === type).map(({ payload }) => payload)
}

test.each([
  [
    'claude-code',
    { input_tokens: 10, output_tokens: 5, cache_read_tokens: 2, cache_write_tokens: 3 },
  ],
  ['codex', { input_tokens: 20, output_tokens: 4, cache_read_tokens: 5 }],
  ['pi', { input_tokens: 7, output_tokens: 3, cache_read_tokens: 1, cache_write_tokens: 2 }],
  ['gemini', { input_tokens: 8, output_tokens: 2, cache_read_tokens: 1 }],
])('%s: usage has our field names, and the original beside them', (format, usage) => {
  const reported = plainPayloads(format, 'assistant').at(-1)?.['usage']
  expect(reported).toMatchObject(usage)
  expect(reported).toHaveProperty('raw')
})

it('tool calls and results are paired for every format', () => {
  expect(plainPayloads('codex', 'tool_call')).toMatchObject([
    { tool_call_id: 'c1', name: 'shell', input: { command: ['ls'] } },
    { tool_call_id: 'c2', name: 'local_shell' },
  ])
  expect(plainPayloads('codex', 'tool_result')).toMatchObject([
    { tool_call_id: 'c1', content: 'a.txt', is_error: false },
    { tool_call_id: 'c2', content: 'no', is_error: true },
  ])
  const [reply] = plainPayloads('pi', 'assistant')
  expect(reply?.['content']).toMatchObject([
    { type: 'thinking', thinkingSignature: 'sig' },
    { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } },
  ])
  expect(plainPayloads('gemini', 'tool_result')).toMatchObject([
    { tool_call_id: 'c1', content: 'text of a', is_error: false },
  ])
})

it('pictures keep their position', () => {
  const image = { type: 'image', source: { media_type: 'image/png', data: 'iVBORw0KGgo=' } }
  for (const format of ['claude-code', 'gemini']) {
    expect(plainPayloads(format, 'user').at(-1)?.['content']).toMatchObject([{}, image])
  }
})

it('records without a counterpart are kept unchanged, without permission state', () => {
  const [unknown] = plainPayloads('claude-code', 'claude-code:something-new')
  expect(unknown?.['record']).toMatchObject({ type: 'something-new', value: 3 })
  expect(unknown?.['record']).not.toHaveProperty('sandboxPolicy')
  const [context] = plainPayloads('codex', 'codex:turn_context')
  expect(context?.['record']).toMatchObject({ payload: { cwd: '/home/ada/app', model: 'm-1' } })
  expect(plainPayloads('pi', 'pi:label')).toMatchObject([{ record: { label: 'start' } }])
})
