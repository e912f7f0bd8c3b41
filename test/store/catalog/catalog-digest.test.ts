// One session as a listing shows it: what two short looks into its file tell.

import { closeSync, ftruncateSync, openSync, symlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appendOnce, openLog } from '../../../lib/log/index.js'
import {
  isUnreadable,
  openContext,
  readSessionInfo,
  type SessionInfo,
} from '../../../lib/store/index.js'
import { foreignLine, id, line, record, time } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { startWorker } from '../../log/lock/worker.js'
import { Transcript } from './catalog-transcript.js'

function digestOf(path: string): SessionInfo {
  const digest = readSessionInfo(openContext(), path)
  if (isUnreadable(digest)) throw new Error(`skipped: ${digest.reason}`)
  return digest
}

test('a row has the facts of header, conversation and terminator', (t) => {
  const root = temporaryFolder(t)
  const facts = {
    project: '/nowhere/app/',
    project_normalized: '/nowhere/app',
    harness: 'mine',
    agent_id: 'reviewer',
    kind: 'headless',
    resumed_from: { session_id: 'old', tip_uuid: id(7), tip_offset: 9, transcript_path: '/x' },
    forked_from: { session_id: 'other', at_uuid: id(8), base: 1 },
  }
  const path = new Transcript('a/B', 0, facts).say('Hello').reply().end().save(root, 'a%2F%42')
  expect(readSessionInfo(openContext(), path)).toEqual({
    sessionId: 'a/B',
    path,
    title: 'Hello',
    titleSource: 'prompt',
    tags: null,
    project: '/nowhere/app/',
    projectNormalized: '/nowhere/app',
    kind: 'headless',
    harness: 'mine',
    agentId: 'reviewer',
    parentSessionKey: null,
    status: 'clean',
    empty: false,
    startedAt: time(0),
    lastActivity: time(2),
    resumedFrom: { sessionId: 'old', tipUuid: id(7) },
    forkedFrom: { sessionId: 'other', atUuid: id(8) },
    events: 4,
    bytes: expect.any(Number),
  })
})

// Requirement: 003-18
test('a session without a terminator is listed as crashed', (t) => {
  const path = new Transcript('s').say('Hello').save(temporaryFolder(t))
  expect(digestOf(path)).toMatchObject({ status: 'crashed', title: 'Hello', events: null })
})

test('a session with messages after its terminator has not ended', (t) => {
  const path = new Transcript('s').say('a').end().add('session_resumed').save(temporaryFolder(t))
  expect(digestOf(path)).toMatchObject({ status: 'crashed', events: null })
})

test('off-chain events after a terminator do not reopen the session', (t) => {
  const path = new Transcript('s').say('a').end().rename('Later', 'user').save(temporaryFolder(t))
  expect(digestOf(path)).toMatchObject({ status: 'clean', title: 'Later', events: null })
})

test('a stray header after the terminator does not reopen the session', (t) => {
  const bytes = line('session_header', { uuid: id(1), payload: { session_id: 's' } })
  const path = new Transcript('s').say('a').end().raw(bytes).save(temporaryFolder(t))
  expect(digestOf(path).status).toBe('clean')
})

test('a session without messages is empty, ended or not', (t) => {
  const root = temporaryFolder(t)
  const facts = { status: 'empty', empty: true, title: null, titleSource: null }
  expect(digestOf(new Transcript('a').save(root))).toMatchObject(facts)
  expect(digestOf(new Transcript('b').end().save(root))).toMatchObject(facts)
  const renamed = new Transcript('c').rename('T', 'user').save(root)
  expect(digestOf(renamed)).toMatchObject({ status: 'empty', title: 'T' })
})

test('the last activity is the time of the last message, not of the file or of a rename', (t) => {
  const session = new Transcript('s').say('a').reply().rename('T', 'user')
  session.add('turn_end', {}, { isOnChain: false }).end()
  expect(digestOf(session.save(temporaryFolder(t))).lastActivity).toBe(time(2))
})

test('reads timestamps of other writers, and ignores invalid ones', (t) => {
  const session = new Transcript('s').say('a')
  const event = { type: 'user', uuid: 'x', prev_uuid: id(2), payload: {} }
  session.raw(foreignLine({ ...event, ts: '2026-03-01T12:00:00+02:00' }))
  session.raw(foreignLine({ ...event, uuid: 'y', ts: 'yesterday' }))
  expect(digestOf(session.save(temporaryFolder(t))).lastActivity).toBe('2026-03-01T10:00:00.000Z')
})

test('a title of the user wins over an automatic one, whichever is newer', (t) => {
  const root = temporaryFolder(t)
  const first = new Transcript('a').say('Prompt').rename('Mine', 'user').rename('Auto', 'auto')
  const last = new Transcript('b').say('Prompt').rename('Auto', 'auto').rename('Mine', 'user')
  for (const session of [first, last]) {
    expect(digestOf(session.reply().save(root))).toMatchObject({
      title: 'Mine',
      titleSource: 'user',
    })
  }
})

test('the last title of a source counts; a title without a source is automatic', (t) => {
  const root = temporaryFolder(t)
  const users = new Transcript('a').rename('One', 'user').say('Prompt').rename('Two', 'user')
  expect(digestOf(users.save(root)).title).toBe('Two')
  const autos = new Transcript('b').rename('One', 'auto').say('Prompt').rename('Two')
  expect(digestOf(autos.save(root))).toMatchObject({ title: 'Two', titleSource: 'auto' })
})

test('a rename is still found after 60 KiB, because writers repeat it', (t) => {
  const session = new Transcript('s').say('Prompt').replyAtLength(100_000)
  session.rename('Mine', 'user').replyAtLength(60 * 1024)
  const digest = digestOf(session.save(temporaryFolder(t)))
  expect(digest).toMatchObject({ title: 'Mine', titleSource: 'user', status: 'crashed' })
})

test('a rename is still found after 100 MB of events', (t) => {
  const root = temporaryFolder(t)
  const session = new Transcript('s').say('Prompt').rename('Mine', 'user')
  const path = session.save(root)
  session.replyAtLength(200_000)
  const fd = openSync(path, 'r+')
  ftruncateSync(fd, 100_000_000)
  writeSync(fd, Buffer.concat([Buffer.from('\n'), session.bytes]), 0, undefined, 100_000_000)
  closeSync(fd)
  expect(digestOf(path)).toMatchObject({ title: 'Mine', titleSource: 'user', status: 'crashed' })
})

test('the first prompt is one line of at most 80 characters, none of them cut in two', (t) => {
  const root = temporaryFolder(t)
  const spaced = new Transcript('a').say('  Fix\n\n\tthe\u0007 login \u2028 page  ').save(root)
  expect(digestOf(spaced).title).toBe('Fix the login page')
  const full = new Transcript('b').say('🦜'.repeat(80)).save(root)
  expect(digestOf(full).title).toBe('🦜'.repeat(80))
  const long = new Transcript('c').say('🦜'.repeat(81)).save(root)
  expect(digestOf(long).title).toBe(`${'🦜'.repeat(79)}…`)
})

test('the first prompt is found in the first 64 KiB, whatever precedes it', (t) => {
  const root = temporaryFolder(t)
  const titleOf = (id: string, before: number, after: number) => {
    const session = new Transcript(id).replyAtLength(before).say('Hello').replyAtLength(after)
    return digestOf(session.save(root)).title
  }
  expect(titleOf('short', 5_000, 0)).toBe('Hello')
  expect(titleOf('early', 5_000, 200_000)).toBe('Hello')
  expect(titleOf('late', 60_000, 200_000)).toBe('Hello')
  // Not further, so that it does not depend on the length of the file.
  expect(titleOf('later', 66_000, 0)).toBeNull()
  expect(titleOf('latest', 66_000, 200_000)).toBeNull()
})

test('a line that only looks like a prompt is not a prompt', (t) => {
  const session = new Transcript('s').raw('{"type":"user","payload":{"content":"raw\ttab"}}\n')
  expect(digestOf(session.say('Hello').save(temporaryFolder(t))).title).toBe('Hello')
})

test('the first text block of a prompt is shown; tool results are not prompts', (t) => {
  const result = [{ type: 'tool_result', tool_use_id: 'x', content: 'output' }]
  const image = { type: 'image', source: { data: 'AAAA' } }
  const session = new Transcript('s').say(result).say([image, { type: 'text', text: 'Look at it' }])
  expect(digestOf(session.save(temporaryFolder(t))).title).toBe('Look at it')
})

test('lists a session whose first message has 5 MB, with its first words', (t) => {
  const root = temporaryFolder(t)
  const image = { type: 'image', source: { data: 'A'.repeat(5_000_000) } }
  const blocks = [{ type: 'text', text: 'What is "this"?\n' }, image]
  const session = new Transcript('a').say(blocks).reply().save(root)
  expect(digestOf(session)).toMatchObject({ title: 'What is "this"?', status: 'crashed' })
  const pasted = new Transcript('b').say(`Read: ${'é\n🦜 '.repeat(500_000)}`).save(root)
  expect(digestOf(pasted).title).toMatch(/^Read: [é🦜 ]+…$/u)
  const picture = new Transcript('c').say([image, { type: 'text', text: 'Later' }]).save(root)
  expect(digestOf(picture)).toMatchObject({ title: null, titleSource: null })
})

test('a last line longer than the window is read back to its beginning', (t) => {
  const session = new Transcript('s').say('Prompt').replyAtLength(100_000)
  const path = session.save(temporaryFolder(t))
  const before = digestOf(path).lastActivity!
  session.add('tool_result', { content: 'x'.repeat(1_000_000) }).append(path)
  const { status, lastActivity } = digestOf(path)
  expect(status).toBe('crashed')
  expect(Date.parse(lastActivity!) - Date.parse(before)).toBe(1000)
})

test('a header longer than 4 KiB is read to its end', (t) => {
  const root = temporaryFolder(t)
  for (const length of [4_000, 5_000, 100_000, 300_000]) {
    const facts = { agent_label: 'x'.repeat(length), harness: 'mine' }
    const path = new Transcript(`s${length}`, 0, facts).save(root, 'other')
    const digest = { sessionId: `s${length}`, harness: 'mine', startedAt: time(0) }
    expect(digestOf(path)).toMatchObject({ ...digest, status: 'empty' })
  }
})

test('a fork begins with several headers; the first is its own', (t) => {
  const forked_from = { session_id: 'source', at_uuid: id(2) }
  const own = line('session_header', { uuid: id(99), payload: { session_id: 'f', forked_from } })
  const source = new Transcript('source').say('Hello')
  const path = saveBytes(temporaryFolder(t), 'f', Buffer.concat([own, source.bytes]))
  expect(digestOf(path)).toMatchObject({
    sessionId: 'f',
    forkedFrom: { sessionId: 'source', atUuid: id(2) },
    title: 'Hello',
    empty: false,
  })
})

function saveBytes(root: string, name: string, bytes: Buffer): string {
  const path = new Transcript(name).save(root)
  const fd = openSync(path, 'w')
  writeSync(fd, bytes)
  closeSync(fd)
  return path
}

test('without a header the id is the name of the file', (t) => {
  const root = temporaryFolder(t)
  const user = line('user', { uuid: id(2), prev_uuid: id(1), payload: { content: 'Hello' } })
  const bytes = Buffer.concat([Buffer.from('\0\0\0{"type":"session_hea\n'), user])
  expect(digestOf(saveBytes(root, 'a%2F%C3%A9', bytes))).toMatchObject({
    sessionId: 'a/é',
    title: 'Hello',
    startedAt: null,
    status: 'crashed',
  })
  expect(digestOf(saveBytes(root, 'a%zz', bytes)).sessionId).toBe('a%zz')
})

test('ignores damage in the bytes that are read', (t) => {
  const session = new Transcript('s').say('Prompt').reply().rename('Mine', 'user')
  session.raw('oops\n\0\0\0\0\n\n{"type":"user"\n')
  const changed = line('session_terminator', { uuid: id(50), payload: { events: 1 } })
  changed[20]! ^= 1
  session.raw(changed).raw(record('session_terminator', { uuid: id(51) }).subarray(0, -4))
  expect(digestOf(session.save(temporaryFolder(t)))).toMatchObject({
    status: 'crashed',
    title: 'Mine',
    lastActivity: time(2),
  })
})

test('a last line without its newline counts when it is whole', (t) => {
  const session = new Transcript('s').say('Prompt')
  session.raw(record('session_terminator', { uuid: id(9), payload: { events: 3, bytes: 1 } }))
  expect(digestOf(session.save(temporaryFolder(t)))).toMatchObject({ status: 'clean', events: 3 })
})

test('a session is open while its owner lives, empty or not', async (t) => {
  const root = temporaryFolder(t)
  const path = new Transcript('s').say('Prompt').save(root)
  const log = await openLog(path)
  expect(digestOf(path)).toMatchObject({ status: 'open', empty: false })
  await log.close()
  expect(digestOf(path).status).toBe('crashed')
  const empty = new Transcript('e').save(root)
  const owner = await openLog(empty)
  expect(digestOf(empty)).toMatchObject({ status: 'open', empty: true })
  await owner.close()
})

// Requirement: 003-44
test('a session whose owner was killed is crashed, although its lock is still there', async (t) => {
  const path = new Transcript('s').say('Prompt').save(temporaryFolder(t))
  const worker = startWorker()
  await worker.ask('acquire', { path, options: { mode: 'lease', timeoutMs: 1000 } })
  expect(digestOf(path).status).toBe('open')
  await worker.kill()
  expect(digestOf(path).status).toBe('crashed')
  await appendOnce(path, [{ type: 'user', payload: { content: 'b' } }])
  expect(digestOf(path).status).toBe('crashed')
})

test('a process that appends one line does not count as having the session open', async (t) => {
  const path = new Transcript('s').say('Prompt').save(temporaryFolder(t))
  const worker = startWorker()
  await worker.ask('acquire', { path, options: { mode: 'once', timeoutMs: 1000 } })
  expect(digestOf(path).status).toBe('crashed')
})

test('a header with only a working directory gives the project', (t) => {
  const root = temporaryFolder(t)
  symlinkSync(root, join(root, 'link'))
  const path = new Transcript('s', 0, { cwd: join(root, 'link') }).say('a').save(root)
  expect(digestOf(path)).toMatchObject({ project: join(root, 'link'), projectNormalized: root })
})
