// When somebody who follows a file is woken: by a change, by the clock, by the end.

import { getEventListeners } from 'node:events'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { type FolderChanges, watchFile } from '../../../lib/log/follow/watch-folder.js'
import { followLog } from '../../../lib/log/index.js'
import { bareLine } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const HOUR_MS = 3_600_000
const newPath = () => join(temporaryFolder({ onTestFinished }), 'log.jsonl')

function hintsOf(path: string, pollMs: number, signal?: AbortSignal): FolderChanges {
  const hints = watchFile(systemEnvironment, path, { pollMs, signal })
  onTestFinished(() => hints.close())
  return hints
}

test('the timer wakes without a signal and without a folder', async () => {
  const path = join(dirname(newPath()), 'not there', 'log.jsonl')
  const hints = hintsOf(path, 1)
  await hints.next()
  await hints.next()
  await hints.close()
})

test('an abort wakes the waiting call, and later calls do not wait', async () => {
  const abort = new AbortController()
  const hints = hintsOf(join(newPath(), 'not there', 'log.jsonl'), HOUR_MS, abort.signal)
  const waiting = hints.next()
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1)
  abort.abort()
  await waiting
  await hints.next()
  expect(getEventListeners(abort.signal, 'abort')).toEqual([])
})

test('waiting leaves no listener on the signal', async () => {
  const { signal } = new AbortController()
  const hints = hintsOf(join(newPath(), 'not there', 'log.jsonl'), 1, signal)
  for (let round = 0; round < 3; round++) await hints.next()
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a change wakes long before the timer, also for a file that is created later', async () => {
  const path = newPath()
  const hints = hintsOf(path, HOUR_MS)
  // The watcher is ready.
  await hints.next()
  const waiting = hints.next()
  writeFileSync(path, 'x')
  await waiting
  // Each change is reported once more a little later.
  await hints.next()
  const again = hints.next()
  appendFileSync(path, 'y')
  await again
})

test('a folder that comes later is watched then', async () => {
  const path = join(dirname(newPath()), 'later', 'log.jsonl')
  const hints = hintsOf(path, 1)
  await hints.next()
  mkdirSync(dirname(path))
  const slow = hintsOf(path, HOUR_MS)
  await slow.next()
  await hints.next()
})

test('a line without an envelope is followed where such lines are meant, and else damage', async () => {
  const path = newPath()
  writeFileSync(path, bareLine({ n: 1 }))
  const firstOf = async (options: object) => {
    const abort = new AbortController()
    for await (const entry of followLog(path, { ...options, pollMs: 1, signal: abort.signal })) {
      abort.abort()
      return entry
    }
    return undefined
  }
  expect(await firstOf({})).toMatchObject({ kind: 'damage' })
  expect(await firstOf({ bare: true })).toMatchObject({ kind: 'event', event: { n: 1 } })
})
