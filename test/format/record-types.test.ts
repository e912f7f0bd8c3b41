// Types by what they are for.

import { expect, it } from 'vitest'
import { belongsTo, hasChain, isOwnEvent } from '../../lib/format/index.js'
import { lineSchemaOf } from '../../lib/format/schemas.js'

it('a header and a resumption do not make a session; a word does', () => {
  const prev_uuid = null
  expect(isOwnEvent({ type: 'session_header', prev_uuid })).toBe(false)
  expect(isOwnEvent({ type: 'session_resumed', prev_uuid })).toBe(false)
  expect(isOwnEvent({ type: 'user', prev_uuid })).toBe(true)
  expect(isOwnEvent({ type: 'summary_revision', prev_uuid })).toBe(false)
})

it('unknown types are legal in conversations, and nowhere else', () => {
  expect(belongsTo('transcript', 'of_somebody')).toBe(true)
  expect(belongsTo('sidechain', 'of_somebody')).toBe(true)
  expect(belongsTo('checkpoint', 'of_somebody')).toBe(false)
  expect(belongsTo('checkpoint', 'checkpoint')).toBe(true)
  expect(belongsTo('transcript', 'checkpoint')).toBe(false)
})

it('events follow each other in conversations, and in logs of unknown kind', () => {
  expect(hasChain(undefined)).toBe(true)
  expect(hasChain('transcript')).toBe(true)
  expect(hasChain('checkpoint')).toBe(false)
})

it('a type of another program has no schema, also one named like a property of objects', () => {
  expect(lineSchemaOf('user')).toBeDefined()
  for (const type of ['of_somebody', 'toString', '__proto__']) {
    expect(lineSchemaOf(type)).toBeUndefined()
  }
})
