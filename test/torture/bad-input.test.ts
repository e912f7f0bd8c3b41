// Invalid input and invalid files, one row each: the exact error or result, and unchanged bytes.
//
// Two kinds are tested elsewhere: slow patterns in test/redaction/linear.test.ts, and umasks in
// test/log/lock/processes.test.ts.

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { projectLog } from '../../lib/chain/index.js'
import { createSession, examineStore, resumeSession, verifyLog } from '../../lib/free-functions.js'
import { appendOnce, type LogEntry, openLog, readLogSync } from '../../lib/log/index.js'

import { foreignLine, line } from '../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../helpers/temporary.js'

const IDS = [
  '../evil',
  'a/b',
  '/etc/passwd',
  'a\0b',
  'x'.repeat(400),
  'e\u0301',
  'ABC',
  'abc',
  'CON',
  'aux.txt',
  'nul',
  'com1',
  'a.',
  'a ',
  'a b',
  'a:b',
  '\u202egpj.exe',
  'two\nlines',
  '..',
  '%2e%2e',
  '__proto__',
]

test('every session id is a file within the folder, and no two ids share one', async (t) => {
  const root = temporaryFolder(t)
  const paths = new Set<string>()
  for (const id of IDS) {
    const session = await createSession({ root, home: root, id })
    await session.append({ type: 'user', payload: { content: id } })
    await session.close()
    expect(relative(join(root, '.transcripts'), session.path)).not.toContain('/')
    expect(Buffer.byteLength(session.path.split('/').at(-1)!)).toBeLessThanOrEqual(200)
    paths.add(session.path.toLowerCase())
    const { messages } = await resumeSession({ root, home: root, id, mode: 'inspect' })
    expect(messages.map(({ payload }) => payload)).toEqual([{ content: id }])
  }
  expect(paths.size).toBe(IDS.length)
  const files = readdirSync(join(root, '.transcripts')).filter((name) => name.endsWith('.jsonl'))
  expect(files).toHaveLength(IDS.length)
  // The same letters in another spelling are the same name.
  const spelled = createSession({ root, home: root, id: '\u00e9' })
  await expect(spelled).rejects.toMatchObject({ code: 'ERR_EXISTS' })
})

test.for([
  { name: 'nothing', id: '' },
  { name: 'blanks', id: '  \t ' },
  { name: 'half a character', id: 'a\ud800' },
])('rejects a session id of $name', async ({ id }, t) => {
  const root = temporaryFolder(t)
  await expect(createSession({ root, home: root, id })).rejects.toMatchObject({ code: 'ERR_ARG' })
  expect(readdirSync(root)).toEqual([])
})

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle
const revoked = Proxy.revocable({}, {})
revoked.revoke()

const REFUSED: readonly { name: string; value: unknown }[] = [
  { name: 'undefined in an array', value: [undefined] },
  { name: 'a hole in an array', value: new Array(2) },
  { name: 'a function', value: () => 1 },
  { name: 'a symbol', value: Symbol('x') },
  { name: 'toJSON that gives undefined', value: { toJSON: () => undefined } },
  { name: 'a BigInt', value: 1n },
  { name: 'a cycle', value: cycle },
  {
    name: 'a getter that throws',
    value: {
      get x() {
        throw new Error('no')
      },
    },
  },
  {
    name: 'toJSON that throws',
    value: {
      toJSON() {
        throw new Error('no')
      },
    },
  },
  { name: 'a revoked proxy', value: revoked.proxy },
  { name: 'NaN', value: Number.NaN },
  { name: 'Infinity', value: Number.POSITIVE_INFINITY },
  { name: 'minus Infinity', value: Number.NEGATIVE_INFINITY },
  { name: 'an invalid Date', value: new Date(Number.NaN) },
  { name: 'a Map', value: new Map([[1, 2]]) },
  { name: 'a Set', value: new Set([1]) },
  { name: 'an Error', value: new Error('x') },
  { name: 'a RegExp', value: /x/ },
  { name: 'a Buffer', value: Buffer.from('x') },
  { name: 'a Uint8Array', value: new Uint8Array(3) },
  { name: 'five thousand levels', value: nested(5000) },
]

test.for(REFUSED)(
  'rejects $name in a payload with ERR_SERIALIZE, and writes nothing',
  async ({ value }, t) => {
    const path = join(temporaryFolder(t), 's.jsonl')
    await using log = await openLog(path)
    await log.append(eventOf('before'))
    const before = readFileSync(path)
    const bad = { type: 'user', payload: { content: 'x', value } } as never
    await expect(log.append(bad)).rejects.toMatchObject({ code: 'ERR_SERIALIZE' })
    expect(readFileSync(path).equals(before)).toBe(true)
    await log.append(eventOf('after'))
    expect(uuidsOf(path)).toEqual(['before', 'after'])
  },
)

test('rejects a text of 40 million characters with ERR_LINE_TOO_LARGE before it writes a byte', async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  await using log = await openLog(path)
  for (const content of ['x'.repeat(40_000_000), '\u0001'.repeat(12_000_000)]) {
    const event = { type: 'user', payload: { content } } as const
    await expect(log.append(event)).rejects.toMatchObject({ code: 'ERR_LINE_TOO_LARGE' })
  }
  expect(log.size).toBe(0)
})

const TAKEN: readonly { name: string; value: unknown; asRead?: unknown }[] = [
  { name: 'a Date', value: new Date(0), asRead: '1970-01-01T00:00:00.000Z' },
  { name: 'minus zero, which is zero', value: -0 },
  { name: 'lone surrogates', value: 'a\ud800b\udfff' },
  { name: 'U+2028, U+2029 and U+0085', value: 'a\u2028b\u2029c\u0085d\u007fe' },
  { name: 'newlines, CR and NUL in a text', value: 'a\nb\rc\r\nd\0e' },
  { name: 'a key __proto__', value: JSON.parse('{"__proto__":{"polluted":true}}') },
  { name: 'a key constructor', value: { constructor: { prototype: 1 } } },
]

test.for(TAKEN)(
  '$name is written on one line and read back unchanged',
  async ({ value, asRead = value }, t) => {
    const path = join(temporaryFolder(t), 's.jsonl')
    await using log = await openLog(path)
    await log.append({ type: 'user', uuid: '__proto__', payload: { content: 'x', value } } as never)
    const raw = readFileSync(path)
    expect(raw.filter((byte) => byte < 0x20)).toEqual(Buffer.from('\n'))
    expect(raw.toString('utf8')).not.toMatch(/[\u2028\u2029\u0085\u007f]/)
    const [entry] = [...readLogSync(path)] as [LogEntry & { kind: 'event' }]
    expect(entry.event.uuid).toBe('__proto__')
    const { value: read } = entry.event.payload as { value: unknown }
    expect(JSON.stringify(read)).toBe(JSON.stringify(asRead))
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  },
)

const good = line('user', { uuid: 'good', payload: { content: 'good' } })
const foreign = (payload: string) =>
  Buffer.from(
    `{"type":"user","uuid":"f","prev_uuid":"good","ts":"2026-01-01T00:00:00Z","payload":${payload}}\n`,
  )

const INVALID_LINES: readonly { name: string; bytes: Buffer; kinds: readonly string[] }[] = [
  {
    name: 'invalid UTF-8',
    bytes: Buffer.from('{"type":"\xff\xfe"}\n', 'latin1'),
    kinds: ['damage'],
  },
  { name: 'raw NULs in a line', bytes: Buffer.from('{"a":\0\0}\n'), kinds: ['damage'] },
  { name: 'a no-break space', bytes: Buffer.from('\u00a0{"type":"user"}\n'), kinds: ['damage'] },
  { name: 'the word undefined', bytes: Buffer.from('undefined\n'), kinds: ['damage'] },
  { name: 'an array', bytes: Buffer.from('[1]\n'), kinds: ['damage'] },
  { name: 'a million brackets', bytes: Buffer.from(`${'['.repeat(1e6)}\n`), kinds: ['damage'] },
  {
    name: 'a number beyond 2^53',
    bytes: foreign('{"content":9007199254740993}'),
    kinds: ['event'],
  },
  { name: '1e999', bytes: foreign('{"content":1e999}'), kinds: ['event'] },
  { name: 'a key twice', bytes: foreign('{"content":"a","content":"b"}'), kinds: ['event'] },
  { name: 'half a line', bytes: Buffer.from('{"type":"user","uu'), kinds: ['torn'] },
]

test.for(INVALID_LINES)(
  'a log that contains $name is read around it, and not changed',
  ({ bytes, kinds }, t) => {
    const whole = Buffer.concat([good, bytes])
    const path = temporaryFile(t, 's.jsonl', whole)
    const entries = [...readLogSync(path)]
    expect(entries.map(({ kind }) => kind)).toEqual(['event', ...kinds])
    const [first, second] = entries
    expect(first?.kind === 'event' && first.event.uuid).toBe('good')
    const isMarked = second?.kind !== 'event' || second.unverified === true
    expect(isMarked).toBe(true)
    expect(second?.diagnostics?.length ?? 0, 'the reason is reported').toBeGreaterThan(0)
    expect(readFileSync(path).equals(whole)).toBe(true)
  },
)

test('a BOM before the first line and CRs at line ends lose no event', (t) => {
  const withCr = Buffer.concat([good.subarray(0, -1), Buffer.from('\r\n')])
  const path = temporaryFile(t, 's.jsonl', Buffer.concat([Buffer.from('\ufeff'), withCr]))
  expect(uuidsOf(path)).toEqual(['good'])
})

test('a repeated uuid with the same content is one event, with other content a conflict', async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  await using log = await openLog(path)
  const first = await log.append(eventOf('u'))
  expect(await log.append(eventOf('u'))).toMatchObject({ ...first, duplicate: true })
  const other = { ...eventOf('u'), payload: { content: 'other' } }
  await expect(log.append(other)).rejects.toMatchObject({ code: 'ERR_UUID_CONFLICT' })
  expect(uuidsOf(path)).toEqual(['u'])
})

test.for([
  { name: 'without a payload', line: () => foreignLine({ type: 'user', uuid: 'u', ts: 't' }) },
  { name: 'twenty thousand levels deep', line: () => foreign(brackets(20_000)) },
])(
  'the uuid of a foreign line $name cannot be used again: ERR_UUID_CONFLICT',
  async ({ line }, t) => {
    const path = temporaryFile(t, 's.jsonl', Buffer.concat([good, Buffer.from(line())]))
    const before = readFileSync(path)
    const uuid = uuidsOf(path)[1]!
    const conflict = { code: 'ERR_UUID_CONFLICT' }
    await expect(appendOnce(path, [eventOf(uuid)])).rejects.toMatchObject(conflict)
    await using log = await openLog(path)
    await expect(log.append(eventOf(uuid))).rejects.toMatchObject(conflict)
    expect(readFileSync(path).equals(before)).toBe(true)
  },
)

const chained = (uuid: string, prev_uuid: string | null) => line('user', { uuid, prev_uuid })

const CHAINS: readonly {
  name: string
  lines: readonly Buffer[]
  path: readonly string[]
  /** The event of which the link leads nowhere. */
  dangling?: string
  onChain?: number
}[] = [
  {
    name: 'its own parent',
    lines: [chained('a', null), chained('b', 'b')],
    path: ['a', 'b'],
    dangling: 'b',
  },
  {
    name: 'a parent that comes later',
    lines: [chained('a', 'b'), chained('b', 'a')],
    path: ['a', 'b'],
    dangling: 'a',
  },
  {
    name: 'a cycle after its first event',
    lines: [chained('a', null), chained('b', 'c'), chained('c', 'b')],
    path: ['a', 'b', 'c'],
    dangling: 'b',
  },
  {
    name: 'an unknown parent',
    lines: [chained('a', null), chained('b', 'gone')],
    path: ['a', 'b'],
    dangling: 'b',
  },
  // A fork is valid: a rewind leaves one.
  {
    name: 'a fork',
    lines: [chained('a', null), chained('b', 'a'), chained('c', 'a')],
    path: ['a', 'c'],
    onChain: 3,
  },
]

// The lines have neither content nor a header, which is reported as well.
const OTHER_CODES = new Set<string>(['missing_header', 'bad_payload'])

test.for(CHAINS)(
  'a chain with $name ends at the last event, and the link is reported',
  async ({ lines, path, dangling, onChain = path.length }, t) => {
    const file = temporaryFile(t, 's.jsonl', Buffer.concat(lines))
    const events = eventsOf(file)
    const projected = projectLog(events, { file })
    expect(projected.path.map(({ event }) => event.uuid)).toEqual(path)
    const report = await verifyLog(file)
    expect(report).toMatchObject({ reachable: path.length, onChain })
    const place = events.find(({ event }) => event.uuid === dangling)
    const findings = report.findings.filter(({ code }) => !OTHER_CODES.has(code))
    expect(findings).toMatchObject(
      place === undefined
        ? []
        : [
            {
              code: 'dangling_prev',
              severity: 'error',
              file,
              uuid: dangling,
              byte_offset: place.byte_offset,
              line_number: place.line_number,
            },
          ],
    )
  },
)

test('a uuid that is twice in a file refers to the first event, and the second is reported', (t) => {
  const lines = [chained('a', null), chained('b', 'a'), chained('a', 'b')]
  const file = temporaryFile(t, 's.jsonl', Buffer.concat(lines))
  const { entries, diagnostics } = projectLog(eventsOf(file), { file }).projection
  expect(entries.map((entry) => entry.kind === 'event' && entry.event.uuid)).toEqual(['a', 'b'])
  const byte_offset = lines[0]!.length + lines[1]!.length
  expect(diagnostics).toMatchObject([{ code: 'duplicate_uuid', byte_offset, uuid: 'a' }])
})

const boundaryOf = (payload: object) =>
  line('compaction_boundary', { uuid: 'B', prev_uuid: 'S', payload })
const conversation = [
  chained('a', null),
  chained('b', 'a'),
  chained('c', 'b'),
  line('summary', { uuid: 'S', prev_uuid: 'c', payload: { text: 'So far.' } }),
]
const whole = { summary_event_uuid: 'S', anchorUuid: 'S', headUuid: 'b', tailUuid: 'c' }
interface BoundaryCase {
  readonly name: string
  readonly payload: object
  readonly shown?: readonly string[]
}

const BOUNDARIES: readonly BoundaryCase[] = [
  { name: 'valid marks', payload: whole, shown: ['b', 'c'] },
  { name: 'an unknown summary', payload: { ...whole, summary_event_uuid: 'x', anchorUuid: 'x' } },
  { name: 'nothing in it', payload: {} },
  // Its summary is valid, so it takes effect (A1): what is kept starts at the head.
  {
    name: 'a tail before its head',
    payload: { ...whole, headUuid: 'c', tailUuid: 'a' },
    shown: ['c'],
  },
  { name: 'an unknown head', payload: { ...whole, headUuid: 'x' } },
  { name: 'an anchor elsewhere', payload: { ...whole, anchorUuid: 'a' } },
]

test.for(BOUNDARIES)(
  'a boundary with $name hides nothing that its summary does not cover',
  ({ payload, shown = ['a', 'b', 'c'] }, t) => {
    const file = temporaryFile(t, 's.jsonl', Buffer.concat([...conversation, boundaryOf(payload)]))
    const { entries, diagnostics } = projectLog(eventsOf(file), { file }).projection
    const found = entries.flatMap((entry) => (entry.kind === 'event' ? [entry.event.uuid] : []))
    expect(found).toEqual(shown)
    // A valid one is not reported.
    expect(diagnostics.length > 0).toBe(payload !== whole)
  },
)

const summaryOf = (uuid: string, prev_uuid: string) =>
  line('summary', { uuid, prev_uuid, payload: { text: 'So far.' } })
const second = (headUuid: string) =>
  line('compaction_boundary', {
    uuid: 'B2',
    prev_uuid: 'S2',
    payload: { summary_event_uuid: 'S2', anchorUuid: 'S2', headUuid, tailUuid: 'd' },
  })
const compacted = [...conversation, boundaryOf(whole)]
const goneOn = [...compacted, chained('d', 'B'), summaryOf('S2', 'd')]
const LATER: readonly {
  name: string
  lines: readonly Buffer[]
  shown: readonly string[]
  codes: readonly string[]
}[] = [
  { name: 'over another one', lines: [...goneOn, second('d')], shown: ['S2', 'd'], codes: [] },
  {
    name: 'that keeps what another one has hidden',
    lines: [...goneOn, second('a')],
    shown: ['S', 'b', 'c', 'd'],
    codes: ['compaction_uncommitted'],
  },
  {
    name: 'that is written twice',
    lines: [...compacted, boundaryOf(whole)],
    shown: ['S', 'b', 'c'],
    codes: [],
  },
  {
    name: 'on a branch that was left',
    lines: [...compacted, chained('x', 'a')],
    shown: ['a', 'x'],
    codes: [],
  },
  {
    name: 'that keeps an event of another branch',
    lines: [
      ...conversation,
      chained('z', 'a'),
      chained('y', 'c'),
      summaryOf('S2', 'y'),
      second('z'),
    ],
    shown: ['a', 'b', 'c', 'y'],
    codes: ['compaction_uncommitted'],
  },
]

test.for(LATER)(
  'a boundary $name takes effect completely or not at all',
  ({ lines, shown, codes }, t) => {
    const file = temporaryFile(t, 's.jsonl', Buffer.concat(lines))
    const { entries, diagnostics } = projectLog(eventsOf(file), { file }).projection
    const found = entries.map((entry) => ('event' in entry ? entry.event.uuid : entry.kind))
    expect(found).toEqual(shown)
    expect(diagnostics.map(({ code }) => code)).toEqual(codes)
  },
)

const UNSAFE: readonly { name: string; make(path: string): void }[] = [
  { name: 'a symlink', make: (path) => symlinkSync(elsewhere(path), path) },
  { name: 'a dangling symlink', make: (path) => symlinkSync(`${path}.nowhere`, path) },
  { name: 'a hard link', make: (path) => linkSync(elsewhere(path), path) },
  { name: 'a folder', make: (path) => mkdirSync(path) },
  { name: 'a FIFO', make: (path) => execFileSync('mkfifo', [path]) },
  {
    name: 'a file in a world-writable folder',
    make: (path) => chmodSync(dirname(path), 0o777),
  },
]

test.for(UNSAFE)('rejects $name as a log: ERR_UNSAFE_PATH', async ({ make }, t) => {
  const folder = join(temporaryFolder(t), 'own')
  mkdirSync(folder, { mode: 0o700 })
  const path = join(folder, 's.jsonl')
  make(path)
  await expect(openLog(path)).rejects.toMatchObject({ code: 'ERR_UNSAFE_PATH' })
})

// The group of a folder is its owner's choice: where every user has a group of their own (umask 002)
// all folders are 0775, and a shared one was shared on purpose. The folders that we make are 0700.
test('a file in a group-writable folder is accepted, and doctor reports it', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, home: root, id: 'a' })
  await session.close()
  const folder = dirname(session.path)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  chmodSync(folder, 0o770)
  await expect(appendOnce(session.path, [eventOf('b')])).resolves.toHaveLength(1)
  const { findings } = await examineStore({ root, home: root })
  expect(findings).toMatchObject([{ code: 'mode', severity: 'warning', path: folder }])
})

const SWAPS: readonly { name: string; swap(path: string): void }[] = [
  { name: 'removed', swap: (path) => unlinkSync(path) },
  { name: 'rotated away', swap: (path) => renameSync(path, `${path}.1`) },
  {
    name: 'replaced by another',
    swap(path) {
      renameSync(path, `${path}.1`)
      writeFileSync(path, good)
    },
  },
  { name: 'cut short', swap: (path) => truncateSync(path, 10) },
  {
    name: 'in a folder that became a link elsewhere',
    swap(path) {
      const folder = dirname(path)
      renameSync(folder, `${folder}.old`)
      mkdirSync(`${folder}.new`)
      symlinkSync(`${folder}.new`, folder)
    },
  },
]

test.for(SWAPS)(
  'an append to an open log that was $name fails with ERR_FILE_REPLACED',
  async ({ swap }, t) => {
    const path = join(temporaryFolder(t), 'own', 's.jsonl')
    const log = await openLog(path, { durability: 'always' })
    t.onTestFinished(() => log.close().catch(() => {}))
    await log.append(eventOf('a'))
    swap(path)
    await expect(log.append(eventOf('b'))).rejects.toMatchObject({ code: 'ERR_FILE_REPLACED' })
  },
)

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

function brackets(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

function elsewhere(path: string): string {
  appendFileSync(`${path}.other`, good)
  return `${path}.other`
}

function eventOf(uuid: string) {
  return { type: 'user', uuid, payload: { content: uuid } } as const
}

function eventsOf(path: string) {
  return [...readLogSync(path)].flatMap((entry) => (entry.kind === 'event' ? [entry] : []))
}

function uuidsOf(path: string): string[] {
  return [...readLogSync(path)].map((entry) =>
    entry.kind === 'event' ? entry.event.uuid : entry.kind,
  )
}
