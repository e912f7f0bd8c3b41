// Which event is the tip, asked of the rule itself.

import { expect, test } from 'vitest'
import { linkOf, type SessionEvent, TipRule } from '../../lib/format/index.js'

const never = () => false
const always = () => true
const event = (type: string, payload: unknown): SessionEvent =>
  ({ type, ts: 't', uuid: 'u', prev_uuid: 'p', payload }) as SessionEvent

test('of most events the payload is not asked for', () => {
  const unread = event('user', undefined)
  Object.defineProperty(unread, 'payload', {
    get: () => {
      throw new Error('read')
    },
  })
  expect(linkOf(unread, 7)).toEqual({ type: 'user', uuid: 'u', prev_uuid: 'p', byte_offset: 7 })
})

test('a rewind has the tip it left, if that is a string', () => {
  const common = { type: 'rewind', uuid: 'u', prev_uuid: 'p', byte_offset: 7 }
  const linkWith = (from_uuid: unknown) => linkOf(event('rewind', { from_uuid }), 7)
  expect(linkWith('left')).toStrictEqual({ ...common, fromUuid: 'left' })
  for (const wrong of [5, null, {}]) {
    expect(linkWith(wrong)).toStrictEqual({ ...common, fromUuid: undefined })
  }
  expect(linkOf(event('rewind', null), 7)).toStrictEqual({ ...common, fromUuid: undefined })
})

test('a boundary is genuine at its recorded offset, counted from the base', () => {
  const isGenuine = (offsets: unknown, at: number, base?: number) =>
    linkOf(event('compaction_boundary', { offsets }), at, base).isGenuine
  expect(isGenuine({ self: 7 }, 7)).toBe(true)
  expect(isGenuine({ self: 7 }, 8)).toBe(false)
  expect(isGenuine({ self: 7 }, 10, 3)).toBe(true)
  expect(isGenuine({ self: 10 }, 10, 3)).toBe(false)
  for (const none of [undefined, null, {}, 'x']) expect(isGenuine(none, 7)).toBe(false)
})

test('the first event is the tip, whatever it follows and whichever event had its uuid', () => {
  const rule = new TipRule(always)
  expect(rule.tip).toBe(null)
  expect(rule.take({ type: 'user', uuid: 'a', prev_uuid: 'elsewhere' })).toBe('tip')
  expect(rule.tip).toBe('a')
})

test('an event that repeats an older one is not the tip, unless it follows the tip or is genuine', () => {
  const link = { type: 'user', uuid: 'old', prev_uuid: 'older' }
  const takeAfterTip = (changes: object, isKnown = always) => {
    const rule = new TipRule(isKnown, 'tip')
    return [rule.take({ ...link, ...changes }), rule.tip]
  }
  expect(takeAfterTip({})).toEqual(['duplicate_uuid', 'tip'])
  expect(takeAfterTip({ prev_uuid: 'tip' })).toEqual(['tip', 'old'])
  expect(takeAfterTip({ type: 'rewind', fromUuid: 'tip' })).toEqual(['tip', 'old'])
  expect(takeAfterTip({ type: 'compaction_boundary', isGenuine: true })).toEqual(['tip', 'old'])
  expect(takeAfterTip({ type: 'compaction_boundary', isGenuine: false })).toEqual([
    'duplicate_uuid',
    'tip',
  ])
  expect(takeAfterTip({}, never)).toEqual(['tip', 'old'])
})

test('headers belong to the start: several in a row there, and none later', () => {
  const header = (uuid: string, type = 'session_header') => ({ type, uuid, prev_uuid: null })
  const rule = new TipRule(never)
  expect(rule.take(header('a'))).toBe('tip')
  expect(rule.take(header('b', 'sidechain_header'))).toBe('tip')
  expect(rule.take({ type: 'user', uuid: 'c', prev_uuid: 'b' })).toBe('tip')
  expect(rule.take(header('d'))).toBe('extra_header')
  expect(rule.take(header('e', 'sidechain_header'))).toBe('extra_header')
  expect(rule.tip).toBe('c')
  expect(new TipRule(never, 'tip').take(header('a'))).toBe('extra_header')
})

test('what is off the chain is no tip: a type says it, or for unknown types the link', () => {
  const rule = new TipRule(never, 'tip')
  const take = (type: string, prev_uuid: string | null) =>
    rule.take({ type, uuid: type, prev_uuid })
  expect(take('turn_end', 'tip')).toBe('off_chain')
  expect(take('of_somebody', null)).toBe('off_chain')
  expect(rule.tip).toBe('tip')
  expect(take('of_somebody', 'tip')).toBe('tip')
})
