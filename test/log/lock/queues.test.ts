// A queue lasts as long as somebody stands in it, and not a moment longer.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { type Turn, takeTurn } from '../../../lib/log/lock/acquire.js'
import { readSmallFile } from '../../../lib/log/lock/inspect.js'
import { temporaryFolder } from './worker.js'

let count = 0
const aPath = () => `line ${++count}`

/** Whether the turn has come, once everything that is due has happened. */
async function hasCome({ ready }: Turn): Promise<boolean> {
  if (ready === undefined) return true
  const waiting = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))
  return Promise.race([ready.then(() => true), waiting])
}

test('a queue of one is dropped immediately', () => {
  const path = aPath()
  takeTurn(path).end()
  expect(takeTurn(path).ready).toBeUndefined()
})

test('a caller after one that left early still waits for those before', async () => {
  const path = aPath()
  const first = takeTurn(path)
  takeTurn(path).end()
  const third = takeTurn(path)
  expect(await hasCome(third)).toBe(false)
  first.end()
  expect(await hasCome(third)).toBe(true)
})

test('the end of the first does not release those behind the second', async () => {
  const path = aPath()
  const [first, second] = [takeTurn(path), takeTurn(path)]
  first.end()
  expect(await hasCome(second)).toBe(true)
  const third = takeTurn(path)
  expect(await hasCome(third)).toBe(false)
  second.end()
  expect(await hasCome(third)).toBe(true)
})

test('one that left early does not release those behind later callers', async () => {
  const path = aPath()
  const first = takeTurn(path)
  takeTurn(path).end()
  const third = takeTurn(path)
  first.end()
  expect(await hasCome(third)).toBe(true)
  const fourth = takeTurn(path)
  expect(await hasCome(fourth)).toBe(false)
  third.end()
  expect(await hasCome(fourth)).toBe(true)
})

test('two ends of one turn are one', async () => {
  const path = aPath()
  const [first, second] = [takeTurn(path), takeTurn(path)]
  first.end()
  first.end()
  expect(await hasCome(second)).toBe(true)
  expect(await hasCome(takeTurn(path))).toBe(false)
})

test.runIf(process.platform === 'linux')('a pipe beside a log is nothing', () => {
  const path = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  expect(readSmallFile(path, systemEnvironment.fs)).toBeUndefined()
})
