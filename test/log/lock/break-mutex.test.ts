import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { breakLock, breakPathOf } from '../../../lib/log/lock/break-mutex.js'
import { lockPathOf } from '../../../lib/log/lock/inspect.js'
import { ownIdentity } from '../../../lib/log/lock/process-identity.js'
import { temporaryFolder } from './worker.js'

const without = () => false
const LONG_AGO = new Date(Date.now() - 60_000)
const DEAD = { ...ownIdentity(systemEnvironment), boot: 'another', start: '1' }

function abandonedLock(): string {
  const path = join(temporaryFolder(), 'a.jsonl')
  mkdirSync(lockPathOf(path))
  utimesSync(lockPathOf(path), LONG_AGO, LONG_AGO)
  return path
}

function entriesBeside(path: string): string[] {
  return readdirSync(join(path, '..'))
}

test('an abandoned lock is removed, and the mutex with it', () => {
  const path = abandonedLock()
  expect(breakLock(path, without, systemEnvironment)).toBe('gone')
  expect(entriesBeside(path)).toEqual([])
})

test('a lock that turns out to be alive is kept', () => {
  const path = abandonedLock()
  utimesSync(lockPathOf(path), new Date(), new Date())
  expect(breakLock(path, without, systemEnvironment)).toBe('kept')
  expect(entriesBeside(path)).toEqual(['a.jsonl.lock'])
})

test('a lock that went meanwhile is gone', () => {
  const path = join(temporaryFolder(), 'a.jsonl')
  expect(breakLock(path, without, systemEnvironment)).toBe('gone')
  expect(entriesBeside(path)).toEqual([])
})

test('no process enters while another is inside', () => {
  const path = abandonedLock()
  writeFileSync(breakPathOf(path), JSON.stringify(ownIdentity(systemEnvironment)))
  utimesSync(breakPathOf(path), LONG_AGO, LONG_AGO)
  expect(breakLock(path, without, systemEnvironment)).toBe('kept')
  expect(breakLock(path, without, systemEnvironment)).toBe('kept')
  expect(entriesBeside(path)).toEqual(['a.jsonl.lock', 'a.jsonl.lock.break'])
})

test('a mutex whose holder died is cleared, and entered by the next attempt', () => {
  const path = abandonedLock()
  writeFileSync(breakPathOf(path), JSON.stringify(DEAD))
  expect(breakLock(path, without, systemEnvironment)).toBe('kept')
  expect(existsSync(breakPathOf(path))).toBe(false)
  expect(breakLock(path, without, systemEnvironment)).toBe('gone')
})

test.for([
  { written: '', isOld: false, isCleared: false },
  { written: '', isOld: true, isCleared: true },
  { written: JSON.stringify({ ...DEAD, host: 'elsewhere' }), isOld: false, isCleared: false },
  { written: JSON.stringify({ ...DEAD, host: 'elsewhere' }), isOld: true, isCleared: true },
])('a mutex of unknown holder goes by its age: %j', ({ written, isOld, isCleared }) => {
  const path = abandonedLock()
  writeFileSync(breakPathOf(path), written)
  if (isOld) utimesSync(breakPathOf(path), LONG_AGO, LONG_AGO)
  breakLock(path, without, systemEnvironment)
  expect(existsSync(breakPathOf(path))).toBe(!isCleared)
})
