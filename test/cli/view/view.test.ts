// The reader without a terminal: what is on its screen after some keys.

import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import picocolors from 'picocolors'
import { expect, type TestContext, test } from 'vitest'
import { type Feed, SeenFeed, WrittenFeed } from '../../../lib/cli/view/feed.js'
import { paintLine, textOfLine } from '../../../lib/cli/view/styled-line.js'
import { SessionView } from '../../../lib/cli/view/view.js'
import { type Lens, Viewer } from '../../../lib/cli/view/viewer.js'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { loadSession, openContext } from '../../../lib/store/index.js'
import { line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { newPlace, openSession, type Said, storeSession } from '../stored.js'

const TOOLS: readonly Said[] = [
  ['user', 'u1', 'Please **rename** the key.'],
  ['assistant', 'a1', 'I look for it.\n\n```diff\n-old\n+new\n```'],
  ['tool_call', 'c1', { tool_call_id: 't1', name: 'Bash', input: { command: 'grep key' } }],
  [
    'tool_call',
    'c2',
    {
      tool_call_id: 't2',
      name: 'Edit',
      input: { file_path: 'a.ts', old_string: 'one\ntwo', new_string: 'one\nthree' },
    },
  ],
  ['tool_result', 'r2', { tool_call_id: 't2', content: 'denied', is_error: true }],
  [
    'tool_result',
    'r1',
    { tool_call_id: 't1', content: 'a.ts\nb.ts', is_error: false, duration_ms: 1500 },
  ],
  ['assistant', 'a2', 'The edit failed.'],
]

interface Opened {
  readonly viewer: Viewer
  readonly view: SessionView
  readonly copied: string[]
  press(...keys: string[]): Promise<void>
  screen(): string[]
  status(): string
}

const NAMED = new Set(['tab', 'return', 'escape', 'pageup', 'pagedown', 'up', 'down', 'backspace'])

function openViewer(path: string, root: string, size = { columns: 80, rows: 20 }): Opened {
  const store = openContext({ root, home: root })
  const written = new WrittenFeed(store, path)
  const openTask = () => undefined
  const view = new SessionView({ feed: written, size, openTask })
  view.show(written, undefined)
  const copied: string[] = []
  const openLens = (lens: Lens, at: string | undefined): Feed =>
    lens === 'written'
      ? written
      : new SeenFeed(loadSession(store, path, { at }).log.projection.entries)
  const viewer = new Viewer(
    { title: 'demo', view, openLens, copy: (id) => copied.push(id), redraw: async () => {} },
    { isFollowing: false },
  )
  return {
    viewer,
    view,
    copied,
    async press(...keys) {
      for (const key of keys) {
        if (NAMED.has(key)) await viewer.press({ name: key })
        else
          for (const sequence of key) await viewer.press({ sequence, name: sequence.toLowerCase() })
      }
    },
    screen: () =>
      viewer
        .screen(size.rows)
        .lines.map((one) => textOfLine(one).trimEnd())
        .filter((text) => text !== ''),
    status: () => viewer.screen(size.rows).status,
  }
}

async function viewOf(t: TestContext, said: readonly Said[]): Promise<Opened & { path: string }> {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo', { said })
  return {
    ...openViewer(join(place.root, '.transcripts', 'demo.jsonl'), place.root),
    path: String(path),
  }
}

test('a session opens at its end, with each result beside its call', async (t) => {
  const { screen } = await viewOf(t, TOOLS)
  const shown = screen().join('\n')
  expect(shown).toContain('→ Bash grep key  ✓ 2 lines, 1.5 s')
  expect(shown).toContain('→ Edit a.ts  ✗ failed 1 line')
  expect(shown).toContain('The edit failed.')
  expect(shown).not.toContain('result of an earlier call')
  // The results are no turns of the user.
  expect(screen().filter((text) => /^.\s*User/.test(text))).toHaveLength(1)
})

test('Enter opens a call: its input as a diff, and its result', async (t) => {
  const { press, screen } = await viewOf(t, TOOLS)
  await press('g', 'e', 'return')
  const shown = screen()
  expect(shown).toEqual(
    expect.arrayContaining([
      '▌ → Edit a.ts  ✗ failed 1 line',
      '    -two',
      '    +three',
      '    denied',
    ]),
  )
  await press('return')
  expect(screen()).not.toContain('    denied')
})

test('e goes from error to error and then says that there are no more', async (t) => {
  const { press, status, view } = await viewOf(t, [
    ...TOOLS,
    ['tool_call', 'c3', { tool_call_id: 't3', name: 'Read', input: { path: 'x' } }],
    ['tool_result', 'r3', { tool_call_id: 't3', content: 'gone', is_error: true }],
  ])
  await press('g', 'e')
  expect(view.selected?.entry.event?.uuid).toBe('c2')
  await press('e')
  expect(view.selected?.entry.event?.uuid).toBe('c3')
  await press('e')
  expect(status()).toContain('no more errors')
  await press('E')
  expect(view.selected?.entry.event?.uuid).toBe('c2')
})

test('a search finds a text anywhere, continues at the other end, and marks its matches', async (t) => {
  const { press, status, view, viewer } = await viewOf(t, TOOLS)
  await press('/', 'RENAME'.toLowerCase(), 'return')
  expect(view.selected?.entry.event?.uuid).toBe('u1')
  expect(status()).toContain('search continued at the other end')
  expect(viewer.highlight('Rename, rename')).toEqual([
    [0, 6],
    [8, 14],
  ])
  await press('/', 'not there', 'return')
  expect(status()).toContain('no matches of "not there"')
  await press('/', 'B.ts', 'return')
  // A capital letter makes it exact.
  expect(status()).toContain('no matches')
})

test('n without a search, and Escape and Backspace in one, leave the place as it is', async (t) => {
  const { press, status, view } = await viewOf(t, TOOLS)
  const before = view.selected
  await press('n')
  expect(status()).toContain('nothing was searched yet')
  await press('/', 'x', 'backspace', 'backspace')
  expect(status()).toContain('written')
  await press('/', 'Please', 'escape')
  expect(view.selected).toEqual(before)
})

test('the lenses show what was written, what the model sees, and what it saw', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo', { said: TOOLS })
  await session.compact({ summary: 'The key was renamed.' })
  await session.append({ type: 'user', uuid: 'u9', payload: { content: 'and now?' } })
  await session.close()
  const path = join(place.root, '.transcripts', 'demo.jsonl')
  const { press, screen, status, view } = openViewer(path, place.root, { columns: 80, rows: 40 })
  expect(screen().join('\n')).toMatch(/── Compacted: 7 messages summarized, ~[\d,]+ tokens/)
  await press('P', 'l')
  expect(status()).toContain('what the model sees')
  expect(screen().join('\n')).toContain('The key was renamed.')
  expect(screen().join('\n')).not.toContain('The edit failed.')
  await press('l', 'g', 'p', 'a')
  expect(status()).toContain('what the model saw at u1')
  expect(screen()).toHaveLength(2)
  await press('l')
  expect(view.selected?.entry.event?.uuid).toBe('u1')
})

test('an event the model does not see is named when the lens changes', async (t) => {
  const { press, status } = await viewOf(t, [...TOOLS, ['acme:note', 'n1', { text: 'aside' }]])
  await press('l')
  expect(status()).toMatch(/does not see/)
})

test('r shows the event as it is on disk, and y copies its id', async (t) => {
  const { press, screen, copied } = await viewOf(t, TOOLS)
  await press('g', 'p', 'r', 'y')
  expect(screen().join('\n')).toContain('"uuid": "u1"')
  expect(screen().join('\n')).toMatch(/demo\.jsonl, byte \d+ to \d+/)
  expect(copied).toEqual(['u1'])
})

test('damage is shown in its place, with the reason', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'log.jsonl')
  writeFileSync(path, Buffer.concat([line('user', { uuid: 'a' }), Buffer.from('{"type":"us\n')]))
  appendFileSync(path, line('user', { uuid: 'b' }))
  const { press, view, screen } = openViewer(path, folder)
  await press('g', 'e')
  expect(view.selected?.kind).toBe('problem')
  expect(screen().join('\n')).toContain('Damaged')
})

test('new events appear while the reader is at the end, and do not move one who is not', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'log.jsonl')
  const numbers = Array.from({ length: 60 }, (_, n) => line('user', { uuid: `u${n}` }))
  writeFileSync(path, Buffer.concat(numbers))
  const { view, screen, press } = openViewer(path, folder)
  appendFileSync(path, line('user', { uuid: 'new-1' }))
  view.follow()
  expect(screen().join('\n')).toContain('new-1')
  await press('g')
  appendFileSync(path, line('user', { uuid: 'new-2' }))
  view.follow()
  expect(screen()[0]).toContain('u0')
  expect(screen().join('\n')).not.toContain('new-2')
})

test('scrolling from one end to the other and back shows every event once', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'log.jsonl')
  const count = 3000
  const payload = { content: 'x'.repeat(40) }
  const numbers = Array.from({ length: count }, (_, n) => line('user', { uuid: `e${n}-`, payload }))
  writeFileSync(path, Buffer.concat(numbers))
  const { view, screen } = openViewer(path, folder)
  const seen = new Set<string>()
  const look = () => {
    for (const text of screen()) seen.add(/e\d+-/.exec(text)?.[0] ?? '')
  }
  look()
  for (let page = 0; page < count; page++) {
    view.scroll(-view.page)
    look()
    if (screen()[0]?.includes('e0-')) break
  }
  seen.delete('')
  expect(seen.size).toBe(count)
  expect(view.heldEntries).toBeLessThanOrEqual(1100)
  for (let page = 0; page < count && view.progress < 1; page++) view.scroll(view.page)
  expect(screen().join('\n')).toContain(`e${count - 1}-`)
})

test('opening a large log and paging through it reads a part that does not grow with the log', async (t) => {
  const folder = temporaryFolder(t)
  const readOf = (events: number) => {
    const path = join(folder, `${events}.jsonl`)
    const one = line('user', { uuid: 'same', payload: { content: 'y'.repeat(4000) } })
    writeFileSync(path, Buffer.concat(Array.from({ length: events }, () => one)))
    let bytes = 0
    const readSync = ((...args: Parameters<typeof systemEnvironment.fs.readSync>) => {
      const count = systemEnvironment.fs.readSync(...args)
      bytes += count
      return count
    }) as typeof systemEnvironment.fs.readSync
    const store = openContext({ root: folder, home: folder, environment: { fs: { readSync } } })
    const feed = new WrittenFeed(store, path)
    const view = new SessionView({
      feed,
      size: { columns: 80, rows: 24 },
      openTask: () => undefined,
    })
    view.show(feed, undefined)
    view.lines()
    const atStart = bytes
    for (let page = 0; page < 20; page++) view.scroll(-view.page)
    view.lines()
    return { atStart, afterPages: bytes }
  }
  const small = readOf(1500)
  const large = readOf(6000)
  expect(large).toEqual(small)
  expect(large.atStart).toBeLessThan(2 * 1024 * 1024)
})

test('a line is never wider than the screen, whatever it contains', () => {
  const colors = picocolors.createColors(true)
  const pieces = [{ text: 'wide 漢字 ', style: 'bold' as const }, { text: 'and a match' }]
  for (let columns = 2; columns < 30; columns++) {
    const paint = { colors, columns, matches: () => [[12, 17]] as [number, number][] }
    const plain = paintLine(pieces, paint).replaceAll(/\x1b\[\d+m/g, '')
    expect([...plain].reduce((sum, c) => sum + (/[漢字]/.test(c) ? 2 : 1), 0)).toBeLessThanOrEqual(
      columns,
    )
  }
})
