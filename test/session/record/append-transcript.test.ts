// The seed's contract: one event into a session, from a process that keeps nothing open.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import { append_transcript, createSession, renameSession } from '../../../lib/free-functions.js'
import { openLog, readLogSync } from '../../../lib/log/index.js'
import { listSessions, openContext } from '../../../lib/store/index.js'
import { openStore } from '../../../lib/store.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const hello = { type: 'user', payload: { content: 'hello' } } as const

function eventsOf(path: string) {
  return [...readLogSync(path)].map((entry) => {
    if (entry.kind !== 'event') throw new Error(`${entry.reason} at ${entry.byte_offset}`)
    return entry.event
  })
}

// Requirements: 003-04, 003-13, 003-35
test('a new session gets its folder, its file and its header in the same write', async (t) => {
  const root = temporaryFolder(t)
  const receipt = await append_transcript({ session_id: 'demo', event: hello }, { root })
  const path = join(root, '.transcripts', 'demo.jsonl')
  const [header, user] = eventsOf(path)
  expect(header).toMatchObject({
    type: 'session_header',
    prev_uuid: null,
    payload: {
      format: 1,
      session_id: 'demo',
      resumed_from: null,
      start_ts: expect.stringMatching(/Z$/),
    },
  })
  expect(user).toMatchObject({ type: 'user', uuid: receipt.uuid, prev_uuid: header?.uuid })
  expect(receipt.line_number).toBe(2)
  expect(readFileSync(path).subarray(receipt.byte_offset).toString()).toMatch(/^\{"type":"user"/)
})

// Requirements: 003-06, 003-20
test('events follow each other although every call opens the file anew', async (t) => {
  const root = temporaryFolder(t)
  const receipts = []
  for (let index = 0; index < 20; index++) {
    receipts.push(await append_transcript({ session_id: 's', event: hello }, { root }))
  }
  const events = eventsOf(join(root, '.transcripts', 's.jsonl'))
  expect(events.slice(1).map(({ prev_uuid }) => prev_uuid)).toEqual(
    events.slice(0, -1).map(({ uuid }) => uuid),
  )
  expect(receipts.map(({ line_number }) => line_number)).toEqual(
    events.slice(1).map((_, i) => i + 2),
  )
})

test('a last line longer than any window still gives the tip', async (t) => {
  const root = temporaryFolder(t)
  const long = { type: 'assistant', payload: { content: 'x'.repeat(700_000) } } as const
  await append_transcript({ session_id: 's', event: hello }, { root })
  const { uuid } = await append_transcript({ session_id: 's', event: long }, { root })
  await append_transcript({ session_id: 's', event: hello }, { root })
  const path = join(root, '.transcripts', 's.jsonl')
  expect(eventsOf(path).at(-1)?.prev_uuid).toBe(uuid)
})

// Requirements: 003-23, T2
test('a uuid is recognised however much was written since', async (t) => {
  const root = temporaryFolder(t)
  const event = { ...hello, uuid: 'retried' }
  const first = await append_transcript({ session_id: 's', event }, { root })
  const path = join(root, '.transcripts', 's.jsonl')
  const log = await openLog(path, { durability: 'none' })
  const long = { type: 'assistant', payload: { content: 'word '.repeat(12_000) } }
  for (let index = 0; index < 16; index++) await log.append(long)
  await log.close()
  const { size } = statSync(path)
  expect(size).toBeGreaterThan(900_000)
  const again = await append_transcript({ session_id: 's', event }, { root })
  expect(again).toEqual({ ...first, duplicate: true })
  const other = { ...event, payload: { content: 'something else' } }
  await expect(
    append_transcript({ session_id: 's', event: other }, { root }),
  ).rejects.toMatchObject({
    code: 'ERR_UUID_CONFLICT',
  })
  expect(statSync(path).size).toBe(size)
})

test('the same uuid again answers with the old place and writes nothing', async (t) => {
  const root = temporaryFolder(t)
  const event = { ...hello, uuid: 'mine' }
  const first = await append_transcript({ session_id: 's', event }, { root })
  const size = statSync(join(root, '.transcripts', 's.jsonl')).size
  const again = await append_transcript({ session_id: 's', event }, { root })
  expect(again).toEqual({ ...first, duplicate: true })
  expect(statSync(join(root, '.transcripts', 's.jsonl')).size).toBe(size)
  const other = { ...event, payload: { content: 'other' } }
  await expect(
    append_transcript({ session_id: 's', event: other }, { root }),
  ).rejects.toMatchObject({
    code: 'ERR_UUID_CONFLICT',
  })
})

// Requirement: 003-22
test('the caller owns the links: one that is not found is written and reported', async (t) => {
  const root = temporaryFolder(t)
  const diagnostics: Diagnostic[] = []
  const onDiagnostic = (it: Diagnostic) => diagnostics.push(it)
  await append_transcript({ session_id: 's', event: hello }, { root })
  const event = { ...hello, prev_uuid: 'elsewhere' }
  await append_transcript({ session_id: 's', event }, { root, onDiagnostic })
  expect(diagnostics.map(({ code }) => code)).toEqual(['dangling_prev'])
  expect(eventsOf(join(root, '.transcripts', 's.jsonl')).at(-1)?.prev_uuid).toBe('elsewhere')
})

// Requirement: 003-21
test('it reads the end of a long log and not the rest', async (t) => {
  const root = temporaryFolder(t)
  const path = join(root, '.transcripts', 's.jsonl')
  const log = await openLog(path, { durability: 'none' })
  const payload = { tool_call_id: 't', content: 'x'.repeat(100_000), is_error: false }
  for (let index = 0; index < 300; index++) log.appendSync({ type: 'tool_result', payload })
  await log.close()
  const read = readBytes()
  await append_transcript({ session_id: 's', event: hello }, { root, lineNumbers: false })
  const bytes = readBytes() - read
  if (Number.isFinite(bytes)) expect(bytes).toBeLessThan(3_000_000)
  expect(statSync(path).size).toBeGreaterThan(30_000_000)
})

function readBytes(): number {
  const file = '/proc/self/io'
  if (!existsSync(file)) return Number.NaN
  return Number(/^rchar: (\d+)/m.exec(readFileSync(file, 'utf8'))?.[1])
}

// Requirements: 003-30, 003-44
test('an append to a held session fails immediately and names the holder', async (t) => {
  const root = temporaryFolder(t)
  await using _log = await openLog(join(root, '.transcripts', 's.jsonl'))
  await expect(
    append_transcript({ session_id: 's', event: hello }, { root }),
  ).rejects.toMatchObject({ code: 'ERR_LOCKED', details: { pid: process.pid } })
  await append_transcript({ session_id: 'another', event: hello }, { root })
})

test.for([
  '../evil',
  '/etc/passwd',
  'a/b\\c',
  'CON',
  '.hidden',
  'ünï',
  'A',
  'a',
  'x'.repeat(300),
  'nul\u0000byte',
])('the session id %j stays inside its folder and keeps its own file', async (id, t) => {
  const root = temporaryFolder(t)
  await append_transcript({ session_id: id, event: hello }, { root })
  expect(readdirSync(root)).toEqual(['.transcripts'])
  const [name, ...others] = readdirSync(join(root, '.transcripts'))
  expect(others).toEqual([])
  expect(name).toMatch(/^[a-z0-9_%-][a-zA-Z0-9._%-]*\.jsonl$/)
  const [header] = eventsOf(join(root, '.transcripts', name!))
  expect(header?.payload).toMatchObject({ session_id: id.normalize('NFC') })
})

test('keys that mean the same session share a file; others never do', async (t) => {
  const root = temporaryFolder(t)
  for (const id of ['k', ' k ', 'session:k', 'K', 'e\u0301', '\u00e9']) {
    await append_transcript({ session_id: id, event: hello }, { root })
  }
  expect(readdirSync(join(root, '.transcripts')).sort()).toEqual([
    '%4B.jsonl',
    '%C3%A9.jsonl',
    'k.jsonl',
  ])
  for (const id of ['', '  ', 'session:', '\ud800']) {
    await expect(
      append_transcript({ session_id: id, event: hello }, { root }),
    ).rejects.toMatchObject({ code: 'ERR_ARG' })
  }
})

test('equal ids of two agents are two sessions', async (t) => {
  const root = temporaryFolder(t)
  await append_transcript({ session_id: 's', event: hello }, { root })
  await append_transcript({ session_id: 's', event: hello }, { root, agent: 'Bob' })
  expect(existsSync(join(root, 'agents', '%42ob', '.transcripts', 's.jsonl'))).toBe(true)
})

// Requirements: 003-29, 003-32
test('a line can be found and read with nothing but the tools of the system', async (t) => {
  const root = temporaryFolder(t)
  const event = { type: 'user', payload: { content: 'say "hi" über 漢字' } } as const
  await append_transcript({ session_id: 's', event }, { root })
  const text = readFileSync(join(root, '.transcripts', 's.jsonl'), 'utf8')
  const hit = text.split('\n').find((line) => line.startsWith('{"type":"user"'))
  expect(hit).toContain('über 漢字')
  expect(JSON.parse(hit!).payload).toEqual(event.payload)
})

test('an off-chain event is spooled for the holder of the session and becomes one line', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 's' })
  const meta = { type: 'session_meta', payload: { title: 'Later', title_source: 'user' } } as const
  const queued = await append_transcript({ session_id: 's', event: meta }, { root })
  expect(queued).toEqual({ uuid: expect.any(String), queued: true })
  await session.append(hello)
  const uuids = eventsOf(session.path).map(({ uuid }) => uuid)
  expect(uuids.filter((uuid) => uuid === queued.uuid)).toHaveLength(1)
  expect(readdirSync(join(root, '.spool'))).toEqual([])
  await session.close()
})

test('the next one-shot appends what was spooled for a holder that died', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 's' })
  const meta = { type: 'session_meta', payload: { title: 'Later' } } as const
  const queued = await append_transcript({ session_id: 's', event: meta }, { root })
  await session.release()
  await append_transcript({ session_id: 's', event: hello }, { root })
  const events = eventsOf(session.path)
  expect(events.map(({ type }) => type)).toEqual(['session_header', 'session_meta', 'user'])
  expect(events[1]?.uuid).toBe(queued.uuid)
  expect(readdirSync(join(root, '.spool'))).toEqual([])
})

// Requirement: A7
test('a title is found behind any number of events of processes that keep nothing open', async (t) => {
  const root = temporaryFolder(t)
  const say = (bytes: number) => {
    const event = { type: 'user', payload: { content: 'x'.repeat(bytes) } } as const
    return append_transcript({ session_id: 's', event }, { root })
  }
  const title = () => listSessions(openContext({ root })).sessions[0]?.title
  await say(10)
  await renameSession('s', 'Before', { root })
  await say(200_000)
  expect(title()).toBe('Before')
  await renameSession('s', 'The title', { root })
  for (let index = 0; index < 20; index++) {
    const { uuid, byte_offset } = await say(9000)
    expect(eventsOf(join(root, '.transcripts', 's.jsonl'))).toContainEqual(
      expect.objectContaining({ uuid, type: 'user' }),
    )
    expect(byte_offset).toBeGreaterThan(0)
    expect(title()).toBe('The title')
  }
})

test('several events are one write with one header, and again they are duplicates', async (t) => {
  const store = openStore({ root: temporaryFolder(t) })
  const events = ['a', 'b', 'c'].map((uuid) => ({ type: 'user', uuid, payload: { content: uuid } }))
  const receipts = await store.appendTranscriptAll('s', events)
  expect(receipts.map(({ uuid }) => uuid)).toEqual(['a', 'b', 'c'])
  const [first, second] = receipts
  expect(first!.byteOffset).toBeLessThan(second!.byteOffset!)
  const again = await store.appendTranscriptAll('s', events)
  expect(again.map(({ duplicate }) => duplicate)).toEqual([true, true, true])
  const { messages } = await store.resumeSession({ id: 's', mode: 'inspect' })
  expect(messages.map(({ uuid }) => uuid)).toEqual(['a', 'b', 'c'])
  expect(await store.appendTranscriptAll('s', [])).toEqual([])
  const invalid = [
    { type: 'user', uuid: 'd', payload: { content: 'd' } },
    { type: 'user' } as never,
  ]
  await expect(store.appendTranscriptAll('s', invalid)).rejects.toThrow()
  const session = await store.openSession('s')
  expect(session.has('d')).toBe(false)
  await session.close()
})

test('a batch waits for the process that holds the session, as long as the caller says', async (t) => {
  const store = openStore({ root: temporaryFolder(t) })
  const holder = await store.createSession({ id: 's' })
  const event = { type: 'user', payload: { content: 'late' } }
  const refused = store.appendTranscriptAll('s', [event], { waitMs: 60 })
  await expect(refused).rejects.toMatchObject({ code: 'ERR_LOCKED' })
  const waiting = store.appendTranscriptAll('s', [event], { waitMs: 60_000 })
  await holder.append({ type: 'user', payload: { content: 'early' } })
  await holder.release()
  expect(await waiting).toHaveLength(1)
  const { messages } = await store.resumeSession({ id: 's', mode: 'inspect' })
  expect(messages.map(({ payload }) => payload)).toMatchObject([
    { content: 'early' },
    { content: 'late' },
  ])
})

test('off-chain events of a batch are queued while another process holds the session', async (t) => {
  const store = openStore({ root: temporaryFolder(t) })
  const holder = await store.createSession({ id: 's' })
  const notes = ['one', 'two'].map((text) => ({ type: 'remember', payload: { text } }))
  const receipts = await store.appendTranscriptAll('s', notes)
  expect(receipts).toMatchObject([{ queued: true }, { queued: true }])
  await holder.close()
  const written = eventsOf(holder.path).map(({ uuid }) => uuid)
  for (const { uuid } of receipts) expect(written).toContain(uuid)
})

test('an off-chain event of another program stays off-chain when it was queued', async (t) => {
  const store = openStore({ root: temporaryFolder(t) })
  const holder = await store.createSession({ id: 's' })
  const { tip } = holder
  const note = { type: 'acme:note', prev_uuid: null, payload: { text: 'aside' } }
  const [receipt] = await store.appendTranscriptAll('s', [note])
  expect(receipt).toMatchObject({ queued: true })
  await holder.append({ type: 'user', payload: { content: 'next' } })
  await holder.close()
  const event = eventsOf(holder.path).find(({ uuid }) => uuid === receipt!.uuid)
  expect(event).toMatchObject({ type: 'acme:note', prev_uuid: null })
  expect(eventsOf(holder.path).find(({ type }) => type === 'user')).toMatchObject({
    prev_uuid: tip,
  })
})
