import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startWorker, temporaryFolder } from './worker.js'

const OPTIONS = { mode: 'lease', timeoutMs: 1000 } as const

test('a lock brings no signal listeners along', async () => {
  const worker = startWorker()
  await worker.ask('acquire', { path: join(temporaryFolder(), 'a.jsonl'), options: OPTIONS })
  expect(await worker.ask('countSignalListeners')).toEqual([0, 0, 0, 0, 0, 0])
})

test('the signal listeners of other packages stay', async () => {
  const worker = startWorker()
  await worker.ask('useSignalExit')
  const before = await worker.ask('countSignalListeners')
  await worker.ask('acquire', { path: join(temporaryFolder(), 'a.jsonl'), options: OPTIONS })
  expect(await worker.ask('countSignalListeners')).toEqual(before)
  expect(before).toContain(1)
})
