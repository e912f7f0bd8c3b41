import * as fs from 'node:fs'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { messagesOf } from '../../../lib/chain/index.js'
import { loadSession, openContext, type StoreContext } from '../../../lib/store/index.js'
import { id, line, time } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const BYTES_MAX = 64 * 1024
const LINE_CHARS = 1000
const COUNT = 1000
// A reader fills its buffer in pieces of this size.
const CHUNK_BYTES = 256 * 1024

interface Watched {
  readonly store: StoreContext
  readonly path: string
  /** How many bytes were read since the last call. */
  bytesRead(): number
}

/** A session of about a megabyte without a boundary. */
function newSession(t: Pick<TestContext, 'onTestFinished'>, name = 'demo', facts = {}): Watched {
  const root = temporaryFolder(t)
  let bytes = 0
  const readSync = ((...args: Parameters<typeof fs.readSync>) => {
    const read = fs.readSync(...args)
    bytes += read
    return read
  }) as typeof fs.readSync
  const store = openContext({ root, home: root, environment: { fs: { readSync } } })
  mkdirSync(store.layout.transcripts, { recursive: true })
  const path = join(store.layout.transcripts, `${name}.jsonl`)
  writeFileSync(path, linesOf(name, facts))
  return {
    store,
    path,
    bytesRead: () => {
      const read = bytes
      bytes = 0
      return read
    },
  }
}

function linesOf(name: string, facts: object): Buffer {
  const lib = { name: 'jsonl-session', version: '1.0.0', capture: 'native' }
  const header = {
    format: 1,
    session_id: name,
    start_ts: time(0),
    resumed_from: null,
    lib,
    ...facts,
  }
  const lines = [line('session_header', { uuid: id(0), payload: header })]
  for (let number = 1; number <= COUNT; number++) {
    const content = `${number} `.padEnd(LINE_CHARS, 'x')
    const type = number % 2 === 0 ? 'assistant' : 'user'
    lines.push(line(type, { uuid: id(number), prev_uuid: id(number - 1), payload: { content } }))
  }
  return Buffer.concat(lines)
}

function shownIn({ log }: ReturnType<typeof loadSession>): string[] {
  return log.projection.entries.map((entry) =>
    'event' in entry ? String(Number(entry.event.uuid.slice(-12))) : entry.kind,
  )
}

test('reads no more than asked of a long context, and reports the gap', (t) => {
  const { store, path, bytesRead } = newSession(t)
  const loaded = loadSession(store, path, { bytesMax: BYTES_MAX })
  expect(bytesRead()).toBeLessThan(BYTES_MAX + 2 * CHUNK_BYTES)
  const shown = shownIn(loaded)
  expect(shown[0]).toBe('opaque')
  expect(shown.at(-1)).toBe(String(COUNT))
  expect(shown.length).toBeGreaterThan(BYTES_MAX / 2 / LINE_CHARS)
  expect(loaded.diagnostics.map(({ code }) => code)).toEqual(['context_cut'])
  expect(loaded.log.projection.complete).toBe(false)
  const { messages } = messagesOf(loaded.log.projection)
  expect(messages).toHaveLength(shown.length - 1)
})

test('a file that is not longer than the limit is read as without one', (t) => {
  const { store, path } = newSession(t)
  const whole = loadSession(store, path)
  const loaded = loadSession(store, path, { bytesMax: 2 * COUNT * LINE_CHARS })
  expect(shownIn(loaded)).toEqual(shownIn(whole))
  expect(loaded.diagnostics).toEqual([])
})

test('an older event ends the part that is read', (t) => {
  const { store, path } = newSession(t)
  const loaded = loadSession(store, path, { at: id(300), bytesMax: BYTES_MAX })
  expect(shownIn(loaded).at(-1)).toBe('300')
  expect(shownIn(loaded)[0]).toBe('opaque')
  const first = loadSession(store, path, { at: id(9), bytesMax: BYTES_MAX })
  expect(shownIn(first)).toEqual(Array.from({ length: 9 }, (_, index) => String(index + 1)))
  expect(first.diagnostics).toEqual([])
  expect(() => loadSession(store, path, { at: 'nothing', bytesMax: BYTES_MAX })).toThrow(
    'No event "nothing" on the chain',
  )
})

test('a session that continues a long one reads a part of that, by the offset in its header', (t) => {
  const { store, path, bytesRead } = newSession(t)
  const text = readFileSync(path, 'latin1')
  const tip_offset = text.lastIndexOf('\n', text.indexOf(id(500))) + 1
  for (const offset of [tip_offset, 7]) {
    const resumed_from = {
      session_id: 'demo',
      tip_uuid: id(500),
      tip_offset: offset,
      transcript_path: path,
    }
    const child = join(path, `../child-${offset}.jsonl`)
    const payload = { format: 1, session_id: 'child', start_ts: time(0), resumed_from }
    appendFileSync(child, line('session_header', { uuid: 'h', payload }))
    bytesRead()
    const shown = shownIn(loadSession(store, child, { bytesMax: BYTES_MAX }))
    if (offset === tip_offset) expect(bytesRead()).toBeLessThan(2 * BYTES_MAX + 5 * CHUNK_BYTES)
    expect([shown[0], shown.at(-1)]).toEqual(['opaque', '500'])
  }
})

test('a compaction within the limit decides what is seen', (t) => {
  const { store, path, bytesRead } = newSession(t)
  const at = COUNT - 10
  const boundary = {
    summary_event_uuid: 's',
    anchorUuid: 's',
    headUuid: id(at),
    tailUuid: id(COUNT),
    coveredToUuid: id(at - 1),
  }
  appendFileSync(
    path,
    line('summary', { uuid: 's', prev_uuid: id(COUNT), payload: { text: 'so far' } }),
  )
  appendFileSync(
    path,
    line('compaction_boundary', { uuid: 'b', prev_uuid: 's', payload: boundary }),
  )
  const loaded = loadSession(store, path, { bytesMax: BYTES_MAX })
  expect(bytesRead()).toBeLessThan(BYTES_MAX + 2 * CHUNK_BYTES)
  expect(loaded.diagnostics).toEqual([])
  expect(shownIn(loaded)).toHaveLength(12)
})
