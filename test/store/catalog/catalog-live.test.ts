// The catalog of a process that stays: it reads little, and knows what a listing from nothing
// would know.

import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openLog } from '../../../lib/log/index.js'
import { LiveCatalog, listSessions, openContext } from '../../../lib/store/index.js'
import { type Random, seededRandom } from '../../helpers/random.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { startWorker } from '../../log/lock/worker.js'
import { Transcript } from './catalog-transcript.js'

const LONG_AGO = new Date('2026-01-01')

test('after every refresh the catalog equals a listing from nothing', (t) => {
  const root = temporaryFolder(t)
  const random = seededRandom(t)
  const catalog = new LiveCatalog(openContext({ root }))
  const store = new RandomStore(root, random)
  for (let step = 0; step < 300; step++) {
    const changes = random.between(1, 3)
    for (let change = 0; change < changes; change++) store.change()
    catalog.refresh()
    for (const options of [{}, { all: true, counts: true }, { all: true, limit: 3 }]) {
      expect(catalog.list(options)).toEqual(listSessions(openContext({ root }), options))
    }
    expect(catalog.refresh().changed).toBe(false)
  }
})

class RandomStore {
  readonly #root: string
  readonly #random: Random
  readonly #folder: string
  readonly #open = new Map<string, Transcript>()
  #count = 0

  constructor(root: string, random: Random) {
    this.#root = root
    this.#random = random
    this.#folder = join(root, '.transcripts')
  }

  change(): void {
    const known = [...this.#open]
    const index = this.#random.below(known.length + 1)
    if (index === known.length) this.#create()
    else this.#alter(...known[index]!)
  }

  #alter(path: string, session: Transcript): void {
    const random = this.#random
    const changes = [
      () => session.say(`Prompt ${random.below(1000)}`).append(path),
      () => session.replyAtLength(random.pick([10, 5_000, 80_000])).append(path),
      () => session.rename(`Title ${random.below(9)}`, random.pick(['user', 'auto'])).append(path),
      () => session.end().append(path),
      () => session.raw('{"torn').append(path),
      () => utimesSync(path, LONG_AGO, LONG_AGO),
      () => this.#replaceInPlace(path),
      () => this.#replaceByRename(path),
      () => this.#replaceByOneOfEqualSize(path),
      () => this.#spoil(path),
      () => this.#delete(path),
    ]
    random.pick(changes)()
  }

  #create(): void {
    const session = this.#newSession()
    // A spoiled one may stand there.
    rmSync(join(this.#folder, `${session.sessionId}.jsonl`), { recursive: true, force: true })
    this.#open.set(session.save(this.#root), session)
  }

  #newSession(): Transcript {
    const name = `s${this.#count++ % 12}`
    const kind = this.#random.pick(['interactive', 'headless', undefined])
    const project = this.#random.pick(['/nowhere/a', this.#root, undefined])
    const session = new Transcript(name, this.#random.below(5000), { kind, project })
    return this.#random.below(3) === 0 ? session : session.say(`Hello ${name}`)
  }

  #replaceInPlace(path: string): void {
    const session = this.#newSession()
    writeFileSync(path, session.bytes)
    this.#open.set(path, new Transcript('appended', this.#random.below(5000)))
  }

  #replaceByRename(path: string): void {
    const temporary = join(this.#folder, '.new')
    writeFileSync(temporary, this.#newSession().bytes)
    renameSync(temporary, path)
  }

  #replaceByOneOfEqualSize(path: string): void {
    const letter = this.#random.pick(['a', 'b', 'c'])
    writeFileSync(path, new Transcript('same').say(letter).bytes)
  }

  #spoil(path: string): void {
    this.#delete(path)
    const spoilers = [
      () => writeFileSync(path, ''),
      () => writeFileSync(path, 'not a transcript\n'),
      () => mkdirSync(path),
      () => symlinkSync('nowhere', path),
    ]
    this.#random.pick(spoilers)()
  }

  #delete(path: string): void {
    this.#open.delete(path)
    rmSync(path, { recursive: true })
  }
}

test('a refresh reads only what changed', (t) => {
  const root = temporaryFolder(t)
  const sessions = ['a', 'b', 'c'].map((name) => new Transcript(name).say('Hello'))
  const paths = sessions.map((session) => session.save(root))
  for (const path of paths) utimesSync(path, LONG_AGO, LONG_AGO)
  const catalog = new LiveCatalog(openContext({ root }))
  expect(catalog.refresh()).toEqual({ changed: false, read: 0 })
  sessions[1]!.rename('New', 'user').append(paths[1]!)
  expect(catalog.refresh()).toEqual({ changed: true, read: 1 })
  rmSync(paths[0]!)
  expect(catalog.refresh()).toMatchObject({ changed: true })
  expect(
    catalog
      .list()
      .sessions.map(({ title }) => title)
      .sort(),
  ).toEqual(['Hello', 'New'])
})

test('a file that changed a moment ago is read again, since its date may be the same', (t) => {
  const root = temporaryFolder(t)
  const path = new Transcript('s').say('a').save(root)
  const catalog = new LiveCatalog(openContext({ root }))
  writeFileSync(path, new Transcript('s').say('b').bytes)
  catalog.refresh()
  expect(catalog.list().sessions).toMatchObject([{ title: 'b' }])
})

test('a session is open as long as its owner lives, though its file does not change', async (t) => {
  const root = temporaryFolder(t)
  const path = new Transcript('s').say('a').save(root)
  utimesSync(path, LONG_AGO, LONG_AGO)
  const catalog = new LiveCatalog(openContext({ root }))
  const worker = startWorker()
  await worker.ask('acquire', { path, options: { mode: 'lease', timeoutMs: 1000 } })
  catalog.refresh()
  expect(catalog.list({ active: true }).sessions).toHaveLength(1)
  await worker.kill()
  expect(catalog.refresh().changed).toBe(true)
  expect(catalog.list().sessions).toMatchObject([{ status: 'crashed' }])
})

test('a watched catalog reports appends, new files, openings and removals', async (t) => {
  const root = temporaryFolder(t)
  const session = new Transcript('s').say('a')
  const path = session.save(root)
  await using catalog = new LiveCatalog(openContext({ root }))
  const onChange = vi.fn()
  catalog.watch({ onChange, pollMs: 600_000 })
  await isWatching(catalog, root)
  onChange.mockClear()

  session.rename('New', 'user').append(path)
  await expectEqual(() => catalog.list().sessions[0]!.title, 'New')
  new Transcript('t', 100).say('b').save(root)
  await expectEqual(() => catalog.list().sessions.length, 2)
  const log = await openLog(path)
  await expectEqual(() => catalog.list({ active: true }).sessions.length, 1)
  await log.close()
  await expectEqual(() => catalog.list({ active: true }).sessions.length, 0)
  rmSync(path)
  await expectEqual(() => catalog.list().sessions.length, 1)
  expect(onChange.mock.calls.length).toBeGreaterThanOrEqual(5)
  expect(catalog.list()).toEqual(listSessions(openContext({ root })))
})

test('a watched catalog waits for a store that does not exist yet', async (t) => {
  const root = join(temporaryFolder(t), 'later')
  await using catalog = new LiveCatalog(openContext({ root }))
  catalog.watch({ pollMs: 20 })
  new Transcript('s').say('a').save(root)
  await expectEqual(() => catalog.list().sessions.length, 1)
})

test('a closed catalog no longer refreshes, and can be closed twice', async (t) => {
  const root = temporaryFolder(t)
  const catalog = new LiveCatalog(openContext({ root }))
  catalog.watch({ pollMs: 5 })
  await catalog.close()
  await catalog.close()
  new Transcript('s').say('a').save(root)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(catalog.list().sessions).toEqual([])
  catalog.refresh()
  expect(catalog.list().sessions).toHaveLength(1)
})

/** Watchers need a moment before they see anything: ask until one change was noticed. */
async function isWatching(catalog: LiveCatalog, root: string): Promise<void> {
  const probe = new Transcript('probe').say('a')
  const path = probe.save(root)
  await vi.waitFor(
    () => {
      probe.say('more').append(path)
      expect(catalog.list().sessions.some(({ sessionId }) => sessionId === 'probe')).toBe(true)
    },
    { timeout: 20_000, interval: 100 },
  )
  rmSync(path)
  await vi.waitFor(() => expect(catalog.list().sessions).toHaveLength(1), { timeout: 20_000 })
}

async function expectEqual(look: () => unknown, expected: unknown): Promise<void> {
  await vi.waitFor(() => expect(look()).toBe(expected), { timeout: 20_000, interval: 20 })
}
