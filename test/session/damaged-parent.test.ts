// A session that continues another one inherits all that can still be read of it.

import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, type TestContext, test } from 'vitest'
import { createSession, resumeSession } from '../../lib/index.js'
import { openLog } from '../../lib/log/index.js'
import { bareLine } from '../helpers/lines.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { watchFiles } from '../helpers/watched-files.js'

/** A session of ten messages, and one that continues it with one more. */
async function setUp(t: TestContext) {
  const root = temporaryFolder(t)
  const options = { root, home: root, continuity: false } as const
  const parent = await createSession({ ...options, id: 'parent' })
  for (let number = 1; number <= 10; number++) {
    const type = number % 2 === 1 ? 'user' : 'assistant'
    await parent.append({ type, uuid: `m${number}`, payload: { content: `message ${number}` } })
  }
  await parent.close()
  const { session: child } = await resumeSession({ ...options, id: 'parent', newId: 'child' })
  await child!.append({ type: 'user', payload: { content: 'more' } })
  await child!.close()
  const bytes = readFileSync(parent.path)
  const seen = async (id = 'child') => {
    const resumed = await resumeSession({ ...options, id, mode: 'inspect' })
    return {
      texts: resumed.messages.map(({ payload }) => (payload as { content: string }).content),
      codes: resumed.diagnostics.map(({ code }) => code),
      degraded: resumed.degraded,
      diagnostics: resumed.diagnostics,
    }
  }
  return { options, path: parent.path, bytes, seen }
}

const FIRST_NINE = Array.from({ length: 9 }, (_, index) => `message ${index + 1}`)

// Requirement: 18-D
test('one flipped bit in the line that was continued costs one message, and the line is named', async (t) => {
  const { path, bytes, seen } = await setUp(t)
  expect((await seen()).texts).toHaveLength(11)
  const at = bytes.indexOf('message 10')
  bytes[at]! ^= 1
  writeFileSync(path, bytes)
  const { texts, codes, degraded, diagnostics } = await seen()
  expect(texts).toEqual([...FIRST_NINE, 'more'])
  expect(degraded).toBe(true)
  expect(codes).toEqual(['crc_mismatch', 'parent_event_missing'])
  const byte_offset = bytes.lastIndexOf('\n', at) + 1
  for (const found of diagnostics) expect(found).toMatchObject({ file: path, byte_offset })
})

test('a grandchild inherits the same', async (t) => {
  const { options, path, bytes, seen } = await setUp(t)
  const { session } = await resumeSession({ ...options, id: 'child', newId: 'grandchild' })
  await session!.append({ type: 'user', payload: { content: 'even more' } })
  await session!.close()
  bytes[bytes.indexOf('message 10')]! ^= 1
  writeFileSync(path, bytes)
  expect((await seen('grandchild')).texts).toEqual([...FIRST_NINE, 'more', 'even more'])
})

test('of a parent that was cut off the rest is inherited', async (t) => {
  const { path, bytes, seen } = await setUp(t)
  truncateSync(path, bytes.lastIndexOf('\n', bytes.indexOf('message 9')) + 1)
  const { texts, codes } = await seen()
  expect(texts).toEqual([...FIRST_NINE.slice(0, 8), 'more'])
  expect(codes).toEqual(['parent_event_missing'])
})

test('a file of the same name that holds another event there is not the parent', async (t) => {
  const { path, bytes, seen } = await setUp(t)
  const text = bytes.toString()
  const start = text.lastIndexOf('\n', text.indexOf('message 10')) + 1
  const end = text.indexOf('\n', start) + 1
  const { crc: _, ...event } = JSON.parse(text.slice(start, end)) as Record<string, unknown>
  const other = bareLine({ ...event, uuid: 'n10' }).toString()
  writeFileSync(path, text.slice(0, start) + other + text.slice(end))
  const { texts, codes } = await seen()
  expect(texts).toEqual(['more'])
  expect(codes).toContain('parent_session_missing')
})

test('a parent of which nothing can be read is lost', async (t) => {
  const { path, bytes, seen } = await setUp(t)
  writeFileSync(path, Buffer.alloc(bytes.length))
  expect(await seen()).toMatchObject({ texts: ['more'], degraded: true })
})

// Requirements: 003-64, T4, 18-D
test('in every state that a power cut may leave, the event that a new session continues is on the disk', async (t) => {
  const root = temporaryFolder(t)
  const options = { root, home: root, continuity: false } as const
  const parent = await createSession({ ...options, id: 'parent' })
  await parent.append({ type: 'user', payload: { content: 'synced' } })
  await parent.release()
  // As after SIGKILL: the lines are in the file, and no process has synced them.
  const log = await openLog(parent.path, { channel: 'transcript', durability: 'none' })
  await log.append({ type: 'assistant', uuid: 'unsynced', payload: { content: 'not synced' } })
  await log.close()
  const synced = new Map<string, string>([[parent.path, '']])
  const states: { parent: string; child: string }[] = []
  const stop = watchFiles(root, {
    after: ({ name, path }) => {
      const isSync = /^f(?:data)?sync/.test(name)
      if (isSync && path.endsWith('.jsonl')) synced.set(path, readFileSync(path, 'utf8'))
      const child = [...synced.keys()].find((other) => other !== parent.path)
      const childBytes = child === undefined ? '' : synced.get(child)!
      states.push({ parent: synced.get(parent.path)!, child: childBytes })
    },
  })
  const { session } = await resumeSession({ ...options, id: 'parent', newId: 'child' })
  await session!.close()
  stop()
  expect(states.some(({ child }) => child.includes('"tip_uuid":"unsynced"'))).toBe(true)
  for (const { parent: bytes, child } of states) {
    if (child.includes('"tip_uuid":"unsynced"')) expect(bytes).toContain('"uuid":"unsynced"')
  }
})

test('a resume that nothing is to survive syncs nothing', async (t) => {
  const { options, path } = await setUp(t)
  const calls: string[] = []
  const stop = watchFiles(options.root, {
    after: (call) => {
      if (call.path === path) calls.push(call.name)
    },
  })
  const resumed = await resumeSession({ ...options, id: 'parent', durability: 'none' })
  await resumed.session!.release()
  await resumeSession({ ...options, id: 'parent', persist: false })
  stop()
  expect(calls).not.toContain('fdatasyncSync')
  expect(calls).toContain('readSync')
})
