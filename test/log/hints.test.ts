// When somebody who follows a file is woken: by a change, by the clock, by the end.

import { getEventListeners } from 'node:events'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FileHints } from '../../lib/log/file-hints.js'
import { followLog } from '../../lib/log/index.js'
import { bareLine } from '../helpers/lines.js'
import { temporaryFolder } from '../helpers/temporary.js'

const HOUR_MS = 3_600_000
const newPath = () => join(temporaryFolder({ onTestFinished }), 'log.jsonl')

function hintsOf(path: string, pollMs: number, signal?: AbortSignal): FileHints {
  const hints = new FileHints(path, { pollMs, signal })
  onTestFinished(() => hints.close())
  return hints
}

test('the clock wakes without anybody who could end it, and without a folder', async () => {
  const path = join(dirname(newPath()), 'not there', 'log.jsonl')
  const hints = hintsOf(path, 1)
  await hints.next()
  await hints.next()
  await hints.close()
})

test('the end wakes whoever waits, and whoever comes after it does not wait', async () => {
  const abort = new AbortController()
  const hints = hintsOf(join(newPath(), 'not there', 'log.jsonl'), HOUR_MS, abort.signal)
  const waiting = hints.next()
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1)
  abort.abort()
  await waiting
  await hints.next()
  expect(getEventListeners(abort.signal, 'abort')).toEqual([])
})

test('waiting leaves no listener on the end', async () => {
  const { signal } = new AbortController()
  const hints = hintsOf(join(newPath(), 'not there', 'log.jsonl'), 1, signal)
  for (let round = 0; round < 3; round++) await hints.next()
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a change wakes long before the clock, also of a file that was not there', async () => {
  const path = newPath()
  const hints = hintsOf(path, HOUR_MS)
  // The watcher says that it is ready, and once more a little later.
  await hints.next()
  await hints.next()
  const waiting = hints.next()
  writeFileSync(path, 'x')
  await waiting
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
  expect(await firstOf({ isBare: true })).toMatchObject({ kind: 'event', event: { n: 1 } })
})
