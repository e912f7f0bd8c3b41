// What odd records of a Codex rollout become.

import { expect, it } from 'vitest'
import { importValues } from '../contracts/foreign-files.js'

const item = (payload: object) => ({ type: 'response_item', payload })

it('an item named like something that every object has is one that nobody knows', () => {
  const { events } = importValues('codex', [
    item({ type: 'constructor', call_id: 'c1' }),
    item({ type: 'toString' }),
  ])
  expect(events.map(({ type }) => type)).toEqual(['codex:response_item', 'codex:response_item'])
})
