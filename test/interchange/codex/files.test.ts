// Sessions of Codex in several files: a turn that is taken back, and a fork, begin a new one.

import { describe, expect, it } from 'vitest'
import { codex } from '../../../lib/interchange/codex/importer.js'
import {
  type Continuation,
  type DropReason,
  type ForeignValue,
  type ImportedEvent,
  Losses,
  type RepairReason,
} from '../../../lib/interchange/index.js'
import { projectEvents, shownTexts } from '../../contracts/foreign-files.js'

const RECORD_BYTES = 10

const item = (payload: object) => ({ type: 'response_item', payload })
const event = (payload: object) => ({ type: 'event_msg', payload })
const said = (role: string, text: string) =>
  item({ type: 'message', role, content: [{ type: 'input_text', text }] })

const meta = (base?: Continuation) => ({
  type: 'session_meta',
  payload: {
    id: 's',
    history_base: base && { thread_id: base.fileId, end_byte_offset: base.byteOffset },
  },
})
const started = event({ type: 'task_started' })
const turn = (text: string) => [
  started,
  said('user', text),
  said('assistant', `to ${text}`),
  event({ type: 'task_complete' }),
]

interface File {
  readonly id: string
  readonly values: readonly object[]
  /** It was imported before and is gone. */
  readonly isGone?: boolean
}

/** Reads files in order; each record has ten bytes. */
function read(...files: readonly File[]) {
  const events: ImportedEvent[] = []
  const losses = new Losses()
  const sink = {
    event: (made: ImportedEvent) => events.push(made),
    dropped: (reason: DropReason) => losses.drop(reason),
    repaired: (reason: RepairReason) => losses.repair(reason),
    uninterpreted: (type: string) => losses.leaveUninterpreted(type),
    task: () => undefined,
    taskEnded: () => undefined,
  }
  const facts = { sessionId: 's', startTs: undefined, cwd: undefined }
  const reread = () => expect.unreachable()
  const run = codex.start({ facts, sink, reread, tasks: new Map() })
  for (const { id, values, isGone = false } of files) {
    run.open?.({ source: id, path: id, facts: { ...facts, fileId: isGone ? undefined : id } })
    if (isGone) {
      const earlier = read({ id, values }).events
      events.push(...earlier)
      for (const recalled of earlier) run.recall?.(recalled)
      continue
    }
    for (const [index, value] of values.entries()) {
      const place = { byteOffset: index * RECORD_BYTES, length: RECORD_BYTES - 1, source: id }
      run.add({ ...place, value: value as ForeignValue, sha256: `${index}`.padEnd(64, '0') })
    }
  }
  run.end?.(0)
  const rewinds = events.filter(({ type }) => type === 'rewind').length
  const texts = shownTexts(projectEvents(events))
  return { texts, rewinds, repaired: losses.repaired, events }
}

const first = [meta(), ...turn('one'), ...turn('two')]
const a: File = { id: 'a', values: first }

describe('a later file of a session', () => {
  it.each([
    [50, ['one', 'to one'], 1],
    [90, ['one', 'to one', 'two', 'to two'], 0],
  ])('continues at byte %i, before or after a turn', (byteOffset, kept, rewinds) => {
    const b = { id: 'b', values: [meta({ fileId: 'a', byteOffset }), ...turn('again')] }
    const expected = { texts: [...kept, 'again', 'to again'], rewinds, repaired: {} }
    expect(read(a, b)).toMatchObject(expected)
  })

  it('continues the end of a file that ends inside a turn', () => {
    const cut = { id: 'a', values: [meta(), ...turn('one'), started, said('user', 'two')] }
    const b = { id: 'b', values: [meta({ fileId: 'a' }), said('user', 'three')] }
    expect(read(cut, b).texts).toEqual(['one', 'to one', 'two', 'three'])
  })

  it('continues a file before the last one', () => {
    const next = (id: string, byteOffset: number) => ({
      id,
      values: [meta({ fileId: 'a', byteOffset }), said('user', id)],
    })
    expect(read(a, next('b', 50), next('c', 90)).texts).toEqual([
      'one',
      'to one',
      'two',
      'to two',
      'c',
    ])
  })

  it('that continues nothing begins again', () => {
    const again = { id: 'b', values: [meta(), said('user', 'again')] }
    expect(read(a, again)).toMatchObject({ texts: ['again'], repaired: {} })
  })

  it('reports that what it continues is missing', () => {
    const base = { fileId: 'other', byteOffset: 50 }
    const alone = { id: 'b', values: [meta(base), said('user', 'again')] }
    expect(read(alone)).toMatchObject({ texts: ['again'], repaired: { base_missing: 1 } })
    expect(read(a, alone)).toMatchObject({ texts: ['again'], repaired: { base_missing: 1 } })
  })

  it.each([50, 90])('continues at byte %i a file that was imported and is gone', (byteOffset) => {
    const id = 'sessions/rollout-x-a0000000-0000-4000-8000-000000000001.jsonl'
    const fileId = 'a0000000-0000-4000-8000-000000000001'
    const b = { id: 'b', values: [meta({ fileId, byteOffset }), said('user', 'again')] }
    const there = read({ id, values: first }, b).texts
    expect(read({ id, values: first, isGone: true }, b).texts).toEqual(there)
    expect(there).toHaveLength(byteOffset === 50 ? 3 : 5)
  })

  it('that is gone and has no id in its name has that of the session', () => {
    const b = { id: 'b', values: [meta({ fileId: 's' }), said('user', 'again')] }
    const { texts } = read({ ...a, isGone: true }, b)
    expect(texts).toEqual(['one', 'to one', 'two', 'to two', 'again'])
  })

  it('continues a position in a turn after the turn before', () => {
    const b = { id: 'b', values: [meta({ fileId: 'a', byteOffset: 70 }), said('user', 'again')] }
    expect(read(a, b).texts).toEqual(['one', 'to one', 'again'])
  })
})
