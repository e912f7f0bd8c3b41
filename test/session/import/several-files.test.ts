// Sessions that are in several files, and parents that arrive late, with a small format of our own.

import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, type TestContext } from 'vitest'
import { resumeSession, verifyLog } from '../../../lib/index.js'
import { type ImportOptions, importForeign } from '../../../lib/session/import/import-session.js'
import { ForeignSource, openContext } from '../../../lib/store/index.js'
import { eventsIn } from '../../cli/stored.js'
import { runs } from '../../helpers/effort.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { notes } from './notes-importer.js'

const head = (more: object = {}) => ({ note: 'head', session: 's', started: '2026-01-01', ...more })
const text = (id: string, parent?: string, more: object = {}) => ({
  note: 'text',
  id,
  text: id,
  ...(parent !== undefined && { parent }),
  ...more,
})
const jsonl = (...values: readonly object[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')

function setUp(t: TestContext, folder = temporaryFolder(t)) {
  const root = join(folder, 'store')
  const variables = { ...process.env, HOME: folder }
  const store = openContext({ root, home: root, environment: { host: { variables } } })
  const write = (name: string, ...values: readonly object[]): string => {
    const path = join(folder, 'files', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, jsonl(...values))
    return path
  }
  const run = async (path: string, options: ImportOptions = {}) => {
    const source = new ForeignSource(store, path)
    try {
      return await importForeign(store, source, [notes], options)
    } finally {
      source.close()
    }
  }
  const shown = async (id = 's'): Promise<unknown[]> => {
    const { messages } = await resumeSession({ id, root, home: root, mode: 'inspect' })
    return messages.map(({ payload }) => payload?.['content'])
  }
  const ledgers = () =>
    eventsIn(store.layout.transcriptPath('s')).flatMap(({ type, payload }) =>
      type === 'imported' ? [payload as Record<string, unknown>] : [],
    )
  const clean = async (id = 's') =>
    expect((await verifyLog(store.layout.transcriptPath(id))).findings).toEqual([])
  return { folder, store, write, run, shown, ledgers, clean }
}

describe('a session in several files', () => {
  it('is imported as one, in the order of their times, by whichever file is named', async (t) => {
    const { write, run, shown, ledgers, clean } = setUp(t)
    const second = write('s-a.jsonl', head({ started: '2026-01-02' }), text('c'), text('d'))
    const first = write('s-b.jsonl', head(), text('a'), text('b'))
    const report = await run(second)
    expect(report).toMatchObject({ path: second, files: [first, second], lines: 6, skipped: null })
    expect(await shown()).toEqual(['a', 'b', 'c', 'd'])
    expect(ledgers()).toMatchObject([
      { path: first, lines: 3, events: 3, sources: 2 },
      { path: second, lines: 3, events: 3, source: 's-a.jsonl', sources: 2 },
    ])
    expect(ledgers()[0]).not.toHaveProperty('source')
    await clean()
    for (const path of [first, second]) {
      expect((await run(path)).skipped).toMatchObject({ reason: 'unchanged' })
    }
  })

  it('adds a file that is written later, and names it in each of its events', async (t) => {
    const { store, write, run, shown } = setUp(t)
    // Without ids, uuids are made of position and bytes, which are the same in both files.
    const unnamed = { note: 'text', text: 'same' }
    const first = write('s-1.jsonl', head(), unnamed)
    await run(first)
    const before = eventsIn(store.layout.transcriptPath('s')).map(({ uuid }) => uuid)
    const second = write('s-2.jsonl', head({ started: '2026-01-02' }), unnamed)
    const copy = readFileSync(second, 'utf8').replace('2026-01-02', '2026-01-01')
    writeFileSync(second, `${copy}${jsonl(text('more'))}`)
    appendFileSync(first, jsonl(text('of the first')))
    expect((await run(first)).events).toBe(4)
    expect(await shown()).toEqual(['same', 'of the first', 'same', 'more'])
    const events = eventsIn(store.layout.transcriptPath('s'))
    expect(events.map(({ uuid }) => uuid).slice(0, before.length)).toEqual(before)
    const sources = events.flatMap(({ payload }) => {
      const { imported_from } = payload as { imported_from?: { source?: string } }
      return imported_from === undefined ? [] : [imported_from.source]
    })
    expect(sources).toEqual([undefined, undefined, undefined, ...Array(3).fill('s-2.jsonl')])
    expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(events.length)
  })

  it('places what a later file adds by the log, if an earlier file is gone', async (t) => {
    const { write, run, shown, clean } = setUp(t)
    const first = write('s-1.jsonl', head(), text('a'), text('b'), text('c'))
    const offset = readFileSync(first).indexOf('{"note":"text","id":"c"')
    await run(first)
    rmSync(first)
    const base = { session: 's', offset }
    const second = write('s-2.jsonl', head({ started: '2026-01-02', base }), text('d'))
    const report = await run(second)
    expect(report).toMatchObject({ files: [first, second], events: 2, repaired: {} })
    expect(await shown()).toEqual(['a', 'b', 'd'])
    await clean()
    expect((await run(second)).skipped).toMatchObject({ reason: 'unchanged' })
  })

  it('reads the copy in the store of a file that is gone', async (t) => {
    const { write, run, shown } = setUp(t)
    const first = write('s-1.jsonl', head(), text('a'), text('b', 'a'))
    await run(first, { keepSource: true })
    rmSync(first)
    const second = write('s-2.jsonl', head({ started: '2026-01-02' }), text('c', 'b'))
    expect(await run(second)).toMatchObject({ events: 2, repaired: {} })
    expect(await shown()).toEqual(['a', 'b', 'c'])
  })

  it('recognises a file that was moved', async (t) => {
    const { folder, write, run, shown } = setUp(t)
    const first = write('s-1.jsonl', head(), text('a'))
    await run(first)
    const moved = join(folder, 's-9.jsonl')
    renameSync(first, moved)
    expect((await run(moved)).skipped).toMatchObject({ reason: 'unchanged' })
    appendFileSync(moved, jsonl(text('b')))
    expect(await run(moved)).toMatchObject({ events: 1, skipped: null })
    expect(await shown()).toEqual(['a', 'b'])
  })

  it('is refused as a whole if one of its files has changed', async (t) => {
    const { write, run } = setUp(t)
    const first = write('s-1.jsonl', head(), text('a'))
    await run(first)
    write('s-1.jsonl', head(), text('other'))
    const second = write('s-2.jsonl', head({ started: '2026-01-02' }), text('b'))
    expect((await run(second)).skipped).toMatchObject({ reason: 'changed_past' })
  })

  it('reads a copy of one of its files only once, and no file of another session', async (t) => {
    const { write, run, shown } = setUp(t)
    const first = write('s-1.jsonl', head(), text('a'), text('b'))
    cpSync(first, join(dirname(first), 's-copy.jsonl'))
    write('s-short.jsonl', head(), text('a'))
    write('s2.jsonl', head({ session: 's2' }), text('x'))
    write('s-not-one.jsonl', { something: 'else' })
    const report = await run(first)
    expect(report).toMatchObject({ lines: 3 })
    expect(report).not.toHaveProperty('files')
    expect(await shown()).toEqual(['a', 'b'])
    expect((await run(join(dirname(first), 's-short.jsonl'))).skipped).not.toBeNull()
  })

  it('is searched in the folders of its program, also in a copy of them', async (t) => {
    const { write, run, shown } = setUp(t)
    const path = write('backup/notes/day-2/s-2.jsonl', head({ started: '2026-01-02' }), text('b'))
    write('backup/notes/day-1/s-1.jsonl', head(), text('a'))
    await run(path)
    expect(await shown()).toEqual(['a', 'b'])
  })

  it('begins with the history of the session that it was forked from, up to that point', async (t) => {
    const { write, run, shown, clean } = setUp(t)
    const first = write('s-1.jsonl', head(), text('a'), text('b'), text('c'))
    const offset = readFileSync(first).indexOf('{"note":"text","id":"c"')
    const base = { session: 's', offset }
    const fork = write(
      'fork.jsonl',
      head({ session: 'fork', started: '2026-01-02', base }),
      text('d'),
    )
    expect(await run(fork)).toMatchObject({ sessionId: 'fork', files: [first, fork] })
    expect(await shown('fork')).toEqual(['a', 'b', 'd'])
    await clean('fork')
    expect((await run(fork)).skipped).toMatchObject({ reason: 'unchanged' })
    // What its origin adds later is not a part of the fork.
    appendFileSync(first, jsonl(text('e')))
    expect((await run(fork)).skipped).toMatchObject({ reason: 'unchanged' })
    const lost = { session: 'gone', offset: 10 }
    const orphan = write('orphan.jsonl', head({ session: 'orphan', base: lost }), text('f'))
    await run(orphan)
    expect(await shown('orphan')).toEqual(['f'])
  })
})

describe('a parent that is written after its child', () => {
  it('comes first in the conversation', async (t) => {
    const { write, run, shown } = setUp(t)
    const path = write('s.jsonl', head(), text('b', 'a'), text('c', 'b'), text('a'), text('d', 'c'))
    expect(await run(path)).toMatchObject({ repaired: {}, events: 5 })
    expect(await shown()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('is followed by copies of what was imported before it, once', async (t) => {
    const { store, write, run, shown, clean } = setUp(t)
    const path = write('s.jsonl', head(), text('x'), text('b', 'a'), text('c', 'b'))
    expect(await run(path)).toMatchObject({ repaired: { parent_missing: 1 } })
    expect(await shown()).toEqual(['b', 'c'])
    appendFileSync(path, jsonl(text('a', 'x'), text('d', 'c')))
    expect(await run(path)).toMatchObject({ repaired: {}, lines: 2, skipped: null })
    expect(await shown()).toEqual(['x', 'a', 'b', 'c', 'd'])
    const events = eventsIn(store.layout.transcriptPath('s'))
    const copies = events.filter(({ payload }) => 'copied_from' in (payload as object))
    expect(copies.map(({ payload }) => payload)).toMatchObject([
      { content: 'b', copied_from: 'b' },
      { content: 'c', copied_from: 'c' },
    ])
    expect(events.map(({ type }) => type)).not.toContain('import:rewind')
    await clean()
    expect((await run(path)).skipped).toMatchObject({ reason: 'unchanged' })
    appendFileSync(path, jsonl(text('e', 'd'), text('f', 'c')))
    expect((await run(path)).events).toBe(2)
    expect(await shown()).toEqual(['x', 'a', 'b', 'c', 'f'])
  })
})

describe('the report of a grown file', () => {
  it('counts what this run read and lost; the log records the whole account', async (t) => {
    const { write, run, ledgers } = setUp(t)
    const path = write('s.jsonl', head(), text('a'), text('b', 'lost'), { note: 'dance' })
    expect(await run(path)).toMatchObject({
      lines: 4,
      repaired: { parent_missing: 1 },
      uninterpreted: { dance: 1 },
      places: [{ reason: 'parent_missing', path, byteOffset: expect.any(Number) }],
    })
    appendFileSync(path, `${jsonl(text('c'), { note: 'dance' }, { note: 'song' })}{"not`)
    expect(await run(path)).toMatchObject({
      lines: 3,
      dropped: { unfinished_line: 1 },
      repaired: {},
      uninterpreted: { dance: 1, song: 1 },
      places: [],
    })
    expect(ledgers().at(-1)).toMatchObject({
      lines: 7,
      repaired: { parent_missing: 1 },
      uninterpreted: { dance: 2, song: 1 },
    })
  })

  it('names the place of a record whose parent was damaged, and keeps what follows', async (t) => {
    const { write, run, shown } = setUp(t)
    const path = write('s.jsonl', head(), text('a'), text('b'), text('c', 'b'), text('d', 'c'))
    const bytes = readFileSync(path, 'utf8')
    writeFileSync(path, bytes.replace('"id":"b"', '"id";"b"'))
    const byteOffset = bytes.indexOf('{"note":"text","id":"c"')
    expect(await run(path)).toMatchObject({
      dropped: { damaged: 1 },
      repaired: { parent_damaged: 1 },
      places: [{ reason: 'parent_damaged', path, byteOffset }],
    })
    expect(await shown()).toEqual(['a', 'c', 'd'])
  })
})

it('any batching of the same records gives the same conversation, and a restart changes nothing', async (t) => {
  const records = fc
    .array(fc.tuple(fc.nat(20), fc.boolean()), { minLength: 1, maxLength: 12 })
    .map((links) =>
      links.map(([parent, isLate], index) => {
        // A link leads to an earlier or to the next record; a circle is no conversation.
        const to =
          isLate && index % 2 === 0
            ? index + 1
            : index % 2 === 1
              ? index - 2
              : (parent % (index + 1)) - 1
        return to < 0 || to >= links.length
          ? text(`n${index}`, undefined)
          : text(`n${index}`, `n${to}`)
      }),
    )
  const cuts = fc.array(fc.nat(12), { maxLength: 4 })
  const folder = temporaryFolder(t)
  let count = 0
  await fc.assert(
    fc.asyncProperty(records, cuts, async (values, ends) => {
      const whole = setUp(t, join(folder, `whole-${++count}`))
      await whole.run(whole.write('s.jsonl', head(), ...values))
      const expected = await whole.shown()
      const parts = setUp(t, join(folder, `parts-${count}`))
      const path = parts.write('s.jsonl', head())
      let done = 0
      for (const end of [...ends.sort((one, other) => one - other), values.length]) {
        appendFileSync(path, jsonl(...values.slice(done, end)))
        done = Math.max(done, Math.min(end, values.length))
        await parts.run(path)
      }
      expect(await parts.shown()).toEqual(expected)
      await parts.clean()
    }),
    { numRuns: runs(60, 15) },
  )
})
