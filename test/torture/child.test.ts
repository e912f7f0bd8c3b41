// The harness itself: it never waits for a process that has ended.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'
import { startWriter } from './start-child.js'

test('waiting for more output of a child that has ended rejects', async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  const child = startWriter({ path, how: 'once', name: 'w', sizes: [10], count: 1 })
  await child.ready()
  child.go()
  expect(await child.ended).toMatchObject({ code: 0 })
  await child.ackCount(1)
  await expect(child.ackCount(2)).rejects.toThrow('ended too early')
})
