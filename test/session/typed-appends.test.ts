// What is appended to a session is what its type says, or it is refused before anything has changed.

import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { append_transcript, createSession, verifyLog } from '../../lib/index.js'
import { openLog } from '../../lib/log/index.js'
import { findRefusal } from '../../lib/log/internal.js'
import { temporaryFolder } from '../helpers/temporary.js'

async function newSession(persist = true) {
  const root = temporaryFolder({ onTestFinished })
  const options = { root, home: root, continuity: false } as const
  const session = await createSession({ ...options, id: 's', persist })
  onTestFinished(async () => void (await session.close()))
  return { session, options }
}

const WRONG = [
  ['a misspelt type', { type: 'asistant', payload: { content: 'hi' } }, '"acme:asistant"'],
  ['a tool call without its id', { type: 'tool_call', payload: { x: 1 } }, 'tool_call_id must be'],
  ['an empty boundary', { type: 'compaction_boundary', payload: {} }, 'headUuid must be'],
  ['an empty terminator', { type: 'session_terminator', payload: {} }, 'end_ts must be a time'],
  ['a reply of no text', { type: 'assistant', payload: { content: 7 } }, 'content must be'],
] as const

// Requirement: 18-10
test.each(WRONG)('%s is refused by every way to append', async (_, event, why) => {
  const { session, options } = await newSession()
  const memory = await newSession(false)
  const child = await session.spawn({ prompt: 'Go.' })
  const before = readFileSync(session.path)
  const tries = [
    session.append(event as never),
    session.appendAll([{ type: 'user', payload: { content: 'first' } }, event as never]),
    memory.session.append(event as never),
    append_transcript({ session_id: 'other', event: event as never }, options),
    ...(event.type === 'session_terminator' ? [] : [child.append(event as never)]),
  ]
  for (const refused of tries) {
    await expect(refused).rejects.toMatchObject({ code: 'ERR_ARG' })
    await expect(refused).rejects.toThrow(why)
  }
  expect(readFileSync(session.path)).toEqual(before)
})

test('a type with a namespace is accepted with any payload, and verify has nothing against it', async () => {
  const { session } = await newSession()
  await session.append({ type: 'acme:note', payload: { anything: [1, null] } })
  await session.append({ type: 'acme:sub:note', prev_uuid: null, payload: {} })
  for (const type of ['acme:', ':note', 'acme']) {
    await expect(session.append({ type, payload: {} })).rejects.toMatchObject({ code: 'ERR_ARG' })
  }
  expect((await verifyLog(session.path)).findings).toEqual([])
})

test('an event that was recorded before keeps its type and its payload', async () => {
  const { session } = await newSession()
  await session.append({ type: 'custom_note', payload: {}, recorded: true })
  await session.append({ type: 'tool_call', payload: { x: 1 } as never, recorded: true })
  expect(readFileSync(session.path, 'utf8')).not.toContain('"recorded"')
})

test('a log of no known kind takes any type and any object', async () => {
  const root = temporaryFolder({ onTestFinished })
  const log = await openLog(`${root}/any.jsonl`)
  await log.append({ type: 'asistant', payload: {} })
  await log.append({ type: 'tool_call', payload: { x: 1 } as never })
  await log.close()
})

test('why a log refuses an event can be asked without appending it', () => {
  const user = { type: 'user', payload: { content: 'x' } }
  expect(findRefusal(user, 'transcript')).toBeUndefined()
  expect(findRefusal({ ...user, type: 'note' }, 'transcript')).toMatchObject({ code: 'ERR_ARG' })
  expect(findRefusal({ ...user, type: 'note', recorded: true }, 'transcript')).toBeUndefined()
  expect(findRefusal({ type: 'grant', payload: {}, recorded: true }, 'transcript')).toMatchObject({
    code: 'ERR_PERMISSION_STATE',
  })
  expect(findRefusal(user, 'checkpoint')).toMatchObject({ code: 'ERR_WRONG_LOG_KIND' })
  const newer = { type: 'session_header', payload: { format: 2 }, recorded: true }
  expect(findRefusal(newer, 'transcript')).toMatchObject({ code: 'ERR_FORMAT_TOO_NEW' })
  expect(() => findRefusal({ type: 7 } as never, 'transcript')).toThrow(TypeError)
})
