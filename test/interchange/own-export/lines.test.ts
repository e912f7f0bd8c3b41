// What every way of writing a session down says of what is rare: other types, damage, no title.

import { expect, test } from 'vitest'
import {
  type ExportFacts,
  type ExportItem,
  itemsWithinDepth,
  redactFacts,
  redactItems,
  toLines,
  toMarkdown,
  toText,
} from '../../../lib/interchange/index.js'
import { defaultRedactor } from '../../../lib/redaction/index.js'
import { collect } from '../../helpers/collect.js'
import { time } from '../../helpers/lines.js'

const FACTS: ExportFacts = {
  sessionId: 'demo',
  view: 'model' as never,
  redacted: true,
  title: null,
  project: null,
  harness: null,
  status: 'clean',
  startedAt: null,
  lastActivity: null,
  resumedFrom: null,
  hasAncestors: false,
  forkedFrom: null,
  at: null,
}
const SECRET = 'AKIAIOSFODNN7EXAMPLE'

function event(type: string, payload: unknown, more: object = {}): ExportItem {
  return {
    kind: 'event',
    event: { type, ts: time(1), uuid: 'u', prev_uuid: null, payload, ...more },
  } as ExportItem
}

async function* itemsOf(...items: readonly ExportItem[]) {
  yield* items
}

const RARE: readonly (readonly [type: string, payload: object, said: string])[] = [
  ['compaction_boundary', { messages_summarized: 4, headUuid: 'h' }, 'kept from h'],
  ['rewind', { target_uuid: 'x' }, 'Rewound to x'],
  ['rewind', {}, 'Rewound to ?'],
  ['session_resumed', {}, 'Resumed'],
  ['session_terminator', { reason: 'logout' }, 'Ended: logout'],
  ['sidechain_terminator', { completion_status: 'done' }, 'Ended: done'],
  ['subagent_spawn', { task_id: 'tests' }, 'subagent tests started'],
  ['session_meta', { title: 'New' }, 'title: New'],
  ['session_meta', {}, 'session_meta'],
  ['summary_revision', { summary_event_uuid: 's', text: 'Better' }, 'Better'],
  ['remember', { text: 'tabs' }, 'remembered: tabs'],
  ['acme.note', {}, 'acme.note'],
]

test.each(RARE)('%s with %j is shown in one line', async (type, payload, said) => {
  const items = () => itemsOf(event(type, payload))
  expect((await collect(toText(items(), FACTS))).join('')).toContain(said)
  const plain = (text: string) => text.replaceAll('\\', '')
  expect(plain((await collect(toMarkdown(items(), FACTS))).join(''))).toContain(said)
})

test('a page without a title is named after its session and shows its view', async () => {
  for (const write of [toText, toMarkdown]) {
    const page = (await collect(write(itemsOf(), FACTS))).join('')
    expect(page).toContain('Session demo')
    expect(page).toContain('what the model sees')
    expect(page).toContain('redacted')
    expect(page).not.toContain('Started')
  }
})

test('a page of text shows damage and the logs of subagents', async () => {
  const page = await collect(
    toText(
      itemsOf(
        { kind: 'log', channel: 'transcript', name: 'demo', startedAt: time(0) },
        event('session_header', {}),
        { kind: 'damage', reason: 'bad_line', byteOffset: 100, length: 7 },
        { kind: 'log', channel: 'sidechain', name: 'tests', startedAt: time(2) },
        event('tool_result', { tool_call_id: 'c', content: 'no such file', is_error: true }),
      ),
      FACTS,
    ),
  )
  const text = page.join('')
  expect(text).toContain('7 bytes at 100 cannot be read (bad_line)')
  expect(text).toContain('Subagent tests')
  expect(text).toContain('← failed: no such file')
  expect(text).not.toContain('session_header')
})

test('uses the singular for one message and one byte', async () => {
  const one = itemsOf(event('compaction_boundary', { messages_summarized: 1 }), {
    kind: 'damage',
    reason: 'bad_line',
    byteOffset: 100,
    length: 1,
  })
  const text = (await collect(toText(one, FACTS))).join('')
  expect(text).toContain('Compacted: 1 message summarized')
  expect(text).toContain('1 byte at 100 cannot be read')
})

test('replaces a value nested deeper than the stack, removes the checksum of that event only', async () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
  const plain = event('user', { content: 'x' })
  const strange = event('user', { content: 'y', deep }) as Extract<ExportItem, { kind: 'event' }>
  const sealed: ExportItem = { kind: 'event', event: Object.assign(strange.event, { crc: '00' }) }
  const items = itemsOf(sealed, plain)
  const [shown, same] = await collect(redactItems(itemsWithinDepth(items), defaultRedactor))
  expect(JSON.stringify(shown)).toContain('[nested too deep to show]')
  expect(shown).toMatchObject({ event: { payload: { content: 'y' } } })
  expect(shown).not.toHaveProperty('event.crc')
  expect(same).toEqual(plain)
})

test('lines mark logs, damage and the counts', async () => {
  const items = itemsOf(
    { kind: 'log', channel: 'transcript', name: 'demo', startedAt: null as never },
    event('user', { content: 'x' }),
    { kind: 'damage', reason: 'bad_line', byteOffset: 100, length: 7 },
  )
  const lines = await collect(toLines(items, FACTS))
  expect(lines.map(({ uuid }) => uuid)).toEqual([
    'export:0',
    'export:1',
    'u',
    'export:2',
    'export:3',
  ])
  expect(lines[0]).toMatchObject({ ts: '1970-01-01T00:00:00.000Z', payload: { redacted: true } })
  expect(lines[3]).toMatchObject({ payload: { reason: 'bad_line', byte_offset: 100, length: 7 } })
  expect(lines[4]).toMatchObject({ payload: { logs: 1, events: 1, damaged: 1 } })
})

test('redacts an event with a secret and drops its checksum; others are the same objects', async () => {
  const clean = event('user', { content: 'x' }, { crc: '0badcafe' })
  const secret = event('user', { content: SECRET }, { crc: '0badcafe' })
  const beside = event('user', {}, { note: SECRET })
  const log: ExportItem = { kind: 'log', channel: 'transcript', name: 'demo', startedAt: time(0) }
  const found = await collect(
    redactItems(itemsOf(log, clean, secret, beside, event('user', null)), defaultRedactor),
  )
  const events = found.map((item) => (item.kind === 'event' ? item.event : undefined))
  expect(found[0]).toBe(log)
  expect(events[1]).toBe(clean.kind === 'event' && clean.event)
  expect(events[2]).not.toHaveProperty('crc')
  expect(JSON.stringify(found)).not.toContain(SECRET)
  expect(events[4]).toMatchObject({ payload: null })
  const facts = redactFacts({ ...FACTS, title: `key ${SECRET}` }, defaultRedactor)
  expect(facts.title).not.toContain(SECRET)
  expect(facts.project).toBeNull()
})
