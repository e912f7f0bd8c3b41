// What odd records of a Gemini chat become.

import { expect, it } from 'vitest'
import { importValues } from '../contracts/foreign-files.js'

const ts = '2026-01-31T12:00:00.000Z'
const HEAD = { sessionId: 's', projectHash: 'p', startTime: ts }

it('a record that changes nothing is accounted for, too', () => {
  const message = { id: 'u1', timestamp: ts, type: 'user', content: 'hi' }
  const changes = [{}, { messages: 5 }, { messages: [message] }].map(($set) => ({ $set }))
  const { events, losses } = importValues('gemini', [HEAD, message, ...changes])
  const types = events.map(({ type }) => type)
  const metadata = 'gemini:metadata'
  expect(types).toEqual([metadata, 'user', metadata, metadata])
  expect(losses).toMatchObject({ dropped: { repeated_record: 1 }, repaired: {} })
})

it('messages whose ids cannot be ours have names of their own', () => {
  const messages = ['', '', 'a b'].map((id) => ({ id, type: 'user', content: id }))
  const { events, losses } = importValues('gemini', [{ ...HEAD, messages }])
  expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(4)
  expect(losses.repaired).toEqual({ bad_id: 3 })
})
