// The reader that comes from the end of the file must see what a reader of the whole file sees,
// on every history; and on ordinary ones it must read little.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messagesOf, projectLog } from '../../../lib/chain/index.js'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import { OffsetEvent } from '../../../lib/log/read/offset-event.js'
import { layoutOf, loadSession } from '../../../lib/store/index.js'
import { History } from '../../chain/history.js'
import { type RandomStep, randomHistory, randomSteps } from '../../chain/random-history.js'
import { essence } from '../../chain/reading.js'
import { contextOfLayout } from '../../helpers/context.js'
import { runs } from '../../helpers/effort.js'
import { memoryFolder } from '../../helpers/temporary.js'

let root = ''
const endings: (() => void)[] = []
beforeAll(() => {
  root = memoryFolder({ onTestFinished: (end) => void endings.push(end as () => void) })
  mkdirSync(join(root, '.transcripts'))
})
afterAll(() => {
  for (const end of endings) end()
})

const layout = () => layoutOf({ root }, systemEnvironment.host)

function write(history: History, id = 's'): string {
  const path = layout().transcriptPath(id)
  writeFileSync(path, history.bytes)
  return path
}

/** By the definition: every line, from the first to the last. */
function loadForward(path: string, at?: string) {
  const events = [...readLogSync(path)].filter((entry) => entry.kind === 'event')
  return projectLog(events, { file: path, at })
}

test('the backward reader equals the forward fold on random histories', () => {
  let stoppedEarly = 0
  const property = fc.property(randomSteps(40), (steps) => {
    const path = write(randomHistory(steps))
    const loaded = loadSession(contextOfLayout(layout()), path, { lazyPayloads: true })
    const whole = loadForward(path).projection
    if (loaded.readFrom > 0) stoppedEarly++
    const found = JSON.stringify(essence(loaded.log.projection))
    if (found !== JSON.stringify(essence(whole))) {
      expect(essence(loaded.log.projection)).toEqual(essence(whole))
    }
    const messages = JSON.stringify(messagesOf(loaded.log.projection))
    if (messages !== JSON.stringify(messagesOf(whole))) {
      expect(messagesOf(loaded.log.projection)).toEqual(messagesOf(whole))
    }
  })
  // Found by chance, one in sixty thousand: of a line that stands three times, which turn has ended.
  const examples: [RandomStep[]][] = [
    [
      [
        ['message', 146, 0, 0],
        ['again', 161, 0, 0],
        ['again', 344, 0, 0],
        ['turnEnd', 0, 0, 0],
        ['plain', 0, 0, 0],
      ],
    ],
    // Found by chance: seed 1388228139.
    [
      [
        ['copy', 0, 0, 0],
        ['orphanSummary', 0, 0, 0],
        ['again', 0, 0, 0],
        ['header', 0, 0, 0],
        ['header', 0, 0, 0],
        ['prefix', 0, 0, 0],
        ['damage', 776, 0, 0],
      ],
    ],
  ]
  fc.assert(property, { numRuns: runs(10_000), examples })
  expect(stoppedEarly).toBeGreaterThan(200)
}, 240_000)

test('the same holds as of any event', () => {
  const property = fc.property(randomSteps(25), fc.nat(), (steps, pick) => {
    const history = randomHistory(steps)
    const { events } = history
    // Each of its lines may be damaged.
    fc.pre(events.length > 0)
    const { event } = events[pick % events.length]!
    const path = write(history)
    const { walk, projection } = loadForward(path, event.uuid)
    const load = () =>
      loadSession(contextOfLayout(layout()), path, { at: event.uuid }).log.projection
    // Nothing on the chain at or before it: there is no such place to look from.
    if (walk.path.length === 0) expect(load).toThrow(/No event/)
    else expect(essence(load())).toEqual(essence(projection))
  })
  // The first one was found by chance: the only event left stands beside the chain.
  const examples: [RandomStep[], number][] = [
    [
      [
        ['revise', 0, 0, 0],
        ['damage', 0, 0, 0],
      ],
      0,
    ],
  ]
  fc.assert(property, { numRuns: runs(1500), examples })
}, 60_000)

// Requirement: A13
test('so does a reader that scans old events, and its result stays when the file is removed', () => {
  let scannedCount = 0
  const isDistant = ({ event }: { event: object }) => event instanceof OffsetEvent
  const property = fc.property(randomSteps(40), fc.option(fc.nat()), (steps, pick) => {
    const history = randomHistory(steps)
    const path = write(history)
    const at = pick === null ? undefined : history.events.at(pick % 40)?.event.uuid
    const { walk, projection } = loadForward(path, at)
    fc.pre(at === undefined || walk.path.length > 0)
    const loaded = loadSession(contextOfLayout(layout()), path, {
      at,
      lazyPayloads: true,
      fullScanThresholdBytes: 0,
    })
    if (loaded.events.some(isDistant)) scannedCount++
    rmSync(path)
    const found = JSON.stringify(essence(loaded.log.projection))
    if (found !== JSON.stringify(essence(projection))) {
      expect(essence(loaded.log.projection)).toEqual(essence(projection))
    }
    expect(JSON.stringify(messagesOf(loaded.log.projection))).toBe(
      JSON.stringify(messagesOf(projection)),
    )
  })
  // Found by chance: the spread of an edited event that is read on access had no time.
  const examples: [RandomStep[], number][] = [
    [
      [
        ['message', 0, 0, 0],
        ['edit', 1, 67, 0],
        ['message', 0, 0, 0],
      ],
      53846841,
    ],
  ]
  fc.assert(property, { numRuns: runs(1500), examples })
  expect(scannedCount).toBeGreaterThan(100)
}, 240_000)

test('twenty compactions of a hundred messages are read from the last one on', () => {
  const history = new History()
  let count = 0
  for (let round = 1; round <= 20; round++) {
    const first = count
    for (let index = 0; index < 100; index++) history.m(`m${++count}`)
    void first
    const head = `m${count - 14}`
    history.compact({
      summary: `S${round}`,
      head,
      tail: `m${count}`,
      coveredTo: `m${count - 15}`,
    })
  }
  history.m('last')
  const path = write(history)
  const { log, readFrom } = loadSession(contextOfLayout(layout()), path)
  expect(log.projection.entries).toHaveLength(17)
  expect(readFrom).toBeGreaterThan(history.size * 0.98)
  expect(essence(log.projection)).toEqual(essence(loadForward(path).projection))
})

function lineageHeader(parent: string, tip: string) {
  const from = { session_id: parent, tip_uuid: tip, tip_offset: null, transcript_path: '' }
  return { resumed_from: from }
}

function child(id: string, parent: string, tip: string): History {
  return new History({ file: id, header: null }).header('H', lineageHeader(parent, tip))
}

test('a resumed session starts with what its parent showed, and compacts across files', () => {
  write(new History({ file: 'p' }).m('p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'), 'p')
  const history = child('c', 'p', 'p6').m('c1', 'c2')
  history.compact({ summary: 'S', head: 'p5', tail: 'c2', coveredTo: 'p4' }).m('c3')
  const { log } = loadSession(contextOfLayout(layout()), write(history, 'c'))
  const names = log.projection.entries.map((it) => ('event' in it ? it.event.uuid : it.kind))
  expect(names).toEqual(['S', 'p5', 'p6', 'c1', 'c2', 'c3'])
  expect(log.projection.degraded).toBe(false)
})

// Requirement: T23
test('three files, the middle one deleted: degraded, not empty', () => {
  write(new History({ file: 'one' }).m('a1', 'a2'), 'one')
  const middle = write(child('two', 'one', 'a2').m('b1'), 'two')
  const last = write(child('three', 'two', 'b1').m('c1', 'c2'), 'three')
  const whole = loadSession(contextOfLayout(layout()), last)
  expect(messagesOf(whole.log.projection).messages.map(({ uuid }) => uuid)).toEqual([
    'a1',
    'a2',
    'b1',
    'c1',
    'c2',
  ])
  rmSync(middle)
  const { log, diagnostics } = loadSession(contextOfLayout(layout()), last)
  expect(messagesOf(log.projection).messages.map(({ uuid }) => uuid)).toEqual(['c1', 'c2'])
  expect(log.projection.degraded).toBe(true)
  expect(diagnostics.map(({ code }) => code)).toContain('parent_session_missing')
})

test('sessions that continue each other in a circle end, and say so', () => {
  write(child('x', 'y', 'y1').m('x1'), 'x')
  const path = write(child('y', 'x', 'x1').m('y1'), 'y')
  const { log, diagnostics } = loadSession(contextOfLayout(layout()), path)
  expect(diagnostics.map(({ code }) => code)).toContain('lineage_cycle')
  expect(messagesOf(log.projection).messages.map(({ uuid }) => uuid)).toContain('y1')
})

test('a hundred resumptions of one piece of work are one conversation', () => {
  write(new History({ file: 'g0' }).m('e0'), 'g0')
  for (let index = 1; index <= 100; index++) {
    write(child(`g${index}`, `g${index - 1}`, `e${index - 1}`).m(`e${index}`), `g${index}`)
  }
  const { log } = loadSession(contextOfLayout(layout()), layout().transcriptPath('g100'))
  expect(log.projection.entries).toHaveLength(101)
})

test('a stored path that leads out of the store is not followed', () => {
  const outside = join(root, 'outside.jsonl')
  writeFileSync(outside, new History({ file: 'o' }).m('secret').bytes)
  const history = new History({ file: 'in', header: null }).header('H', {
    resumed_from: {
      session_id: 'gone',
      tip_uuid: 'secret',
      tip_offset: null,
      transcript_path: join(root, '.transcripts', '..', '..', 'outside.jsonl'),
    },
  })
  const { diagnostics } = loadSession(contextOfLayout(layout()), write(history.m('a'), 'in'))
  expect(diagnostics.map(({ code }) => code)).toContain('parent_session_missing')
})

test('reading changes nothing, whatever the file looks like', () => {
  const property = fc.property(randomSteps(20), fc.nat(), (steps, cut) => {
    const { bytes } = randomHistory(steps)
    const path = layout().transcriptPath('s')
    writeFileSync(path, bytes.subarray(0, cut % (bytes.length + 1)))
    const before = createHash('sha256').update(readFileSync(path)).digest('hex')
    loadSession(contextOfLayout(layout()), path)
    expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(before)
  })
  fc.assert(property, { numRuns: runs(300) })
}, 60_000)
