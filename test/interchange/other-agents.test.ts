// Agents that are close to a known format are named, not imported as something else.

import { expect, test } from 'vitest'
import { detectFormat, findImporter } from '../../lib/interchange/index.js'
import { linesOf } from '../contracts/foreign-files.js'

function detect(values: readonly object[], from?: string): unknown {
  const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
  const importers = from === undefined ? undefined : [findImporter(from)!]
  const detection = detectFormat(linesOf(bytes), { importers })
  return 'refusal' in detection ? detection.refusal : detection.importer.format
}

const OPENCLAW = { type: 'session', version: 3, id: 's', timestamp: '2026-01-31T12:00:00.000Z' }

test('an agent whose structure is that of a known format is imported if the user asks for it', () => {
  const home = { ...OPENCLAW, cwd: '/home/ada/.openclaw/workspace' }
  expect(detect([home])).toBe('openclaw')
  expect(detect([home], 'pi')).toBe('pi')
  const own = { type: 'custom', customType: 'openclaw.note', timestamp: 1 }
  expect(detect([OPENCLAW, own])).toBe('openclaw')
  expect(detect([OPENCLAW, { type: 'custom', timestamp: 1 }])).toBe('pi')
  const line = { uuid: 'a', parentUuid: null, type: 'user', message: { content: 'hello' } }
  const iflow = { ...line, sessionId: 'session-11111111-1111-4111-8111-111111111111' }
  expect(detect([iflow])).toBe('iflow')
  expect(detect([iflow], 'claude-code')).toBe('claude-code')
  expect(detect([{ ...line, sessionId: 's' }])).toBe('claude-code')
  const qwen = { ...line, message: { role: 'model', parts: [] } }
  expect(detect([qwen], 'claude-code')).toBe('qwen_code')
})

test('Droid is recognised by a stored session and by each kind of line of its stream', () => {
  expect(detect([{ type: 'session_start', id: 's', owner: 'ada' }])).toBe('droid')
  expect(detect([{ type: 'session_start', id: 's' }])).toBe('unknown_format')
  const stream = { session_id: 's', timestamp: 1 }
  expect(detect([{ ...stream, type: 'message', role: 'user', text: 'x' }])).toBe('droid')
  expect(detect([{ ...stream, type: 'tool_call', toolName: 'x', parameters: {} }])).toBe('droid')
  expect(detect([{ ...stream, type: 'completion', finalText: 'x' }])).toBe('droid')
  expect(detect([{ ...stream, type: 'other' }])).toBe('unknown_format')
})

test('Kimi is recognised by the marks of a context and by a wire file', () => {
  expect(detect([{ role: '_usage', token_count: 1 }])).toBe('kimi')
  expect(detect([{ type: 'metadata', protocol_version: '1.1' }])).toBe('kimi')
  const message = { type: 'TurnBegin', payload: {} }
  expect(detect([{ timestamp: 1, message }])).toBe('kimi')
})

test('lines of a role and a content are of no known agent, whatever else they hold', () => {
  const line = { timestamp: '2026-01-31T12:00:00.000Z', role: 'user', content: 'hello' }
  expect(detect([line])).toBe('chat_lines')
  expect(detect([line], 'codex')).toBe('chat_lines')
  expect(detect([{ ...line, files: [] }])).toBe('gptme')
  expect(detect([{ role: 'user', message: { content: 'no blocks' } }])).toBe('unknown_format')
})
