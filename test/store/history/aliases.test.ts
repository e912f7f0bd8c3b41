// `append_history` and `read_history`: the same functions with the fields of the specification.

import { expect, test } from 'vitest'
import { append_history, read_history } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

// Requirements: 003-24, 003-25
test('append_history and read_history use snake_case fields and `reverse`', async (t) => {
  const home = temporaryFolder(t)
  const ts = '2026-01-31T12:00:00.000Z'
  const first = await append_history('one', 'a', { home, ts, project: home, event_uuid: 'e1' })
  const second = await append_history('two', 'b', { home, ts })
  const { file } = first!
  expect(first).toEqual({ offset: 0, file, line_number: 1 })
  expect(second).toMatchObject({ file, line_number: 2 })
  expect(await append_history('one', 'a', { home, event_uuid: 'e1' })).toEqual({
    ...first,
    duplicate: true,
  })
  const one = { prompt: 'one', ts, session_id: 'a', offset: 0, file, project: home }
  const two = { prompt: 'two', ts, session_id: 'b', offset: second!.offset, file }
  expect(await read_history({ home })).toEqual([two, { ...one, event_uuid: 'e1' }])
  expect(await read_history({ home, reverse: false, limit: 1 })).toEqual([
    { ...one, event_uuid: 'e1' },
  ])
  expect(await read_history({ home, session_id: 'b' })).toEqual([two])
})

test('append_history without line numbers, and of a blank prompt', async (t) => {
  const home = temporaryFolder(t)
  const receipt = await append_history('one', 'a', { home, lineNumbers: false })
  expect(receipt).not.toHaveProperty('line_number')
  expect(await append_history(' ', 'a', { home })).toBeNull()
})
