import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import {
  clearOwnerRecord,
  ownerPathOf,
  readOwnerRecord,
  removeOwnerRecord,
  writeOwnerRecord,
} from '../../../lib/log/lock/inspect.js'
import { ownIdentity } from '../../../lib/log/lock/process-identity.js'
import { temporaryFolder } from './worker.js'

const NOTE = { kernel: true, mode: 'lease', dir: '12:34' } as const

test('a record is one private line that names its writer, and leaves nothing beside it', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'a.jsonl')
  writeOwnerRecord(path, NOTE, systemEnvironment)
  const record = readOwnerRecord(path, systemEnvironment.fs)
  expect(record).toEqual({
    ...ownIdentity(systemEnvironment),
    ...NOTE,
    since: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  expect(readFileSync(ownerPathOf(path), 'utf8')).toBe(`${JSON.stringify(record)}\n`)
  expect(statSync(ownerPathOf(path)).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['a.jsonl.lock.owner'])
})

test('a temporary file left by a kill is replaced', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'a.jsonl')
  writeFileSync(`${ownerPathOf(path)}.${process.pid}-0.tmp`, 'half a rec')
  writeOwnerRecord(path, NOTE, systemEnvironment)
  expect(readOwnerRecord(path, systemEnvironment.fs)).toMatchObject(NOTE)
})

test.for([
  '',
  'garbage',
  '{"pid":',
  'null',
  '[]',
  JSON.stringify(ownIdentity(systemEnvironment)),
  JSON.stringify({ ...ownIdentity(systemEnvironment), ...NOTE, since: 'now', mode: 'for ever' }),
])('what is not a whole record counts as none: %s', (text) => {
  const path = join(temporaryFolder(), 'a.jsonl')
  writeFileSync(ownerPathOf(path), text)
  expect(readOwnerRecord(path, systemEnvironment.fs)).toBeUndefined()
})

test.runIf(process.platform !== 'win32')('a pipe or a link in its place is not read', () => {
  const folder = temporaryFolder()
  execFileSync('mkfifo', [ownerPathOf(join(folder, 'pipe.jsonl'))])
  symlinkSync('/etc/hostname', ownerPathOf(join(folder, 'link.jsonl')))
  expect(readOwnerRecord(join(folder, 'pipe.jsonl'), systemEnvironment.fs)).toBeUndefined()
  expect(readOwnerRecord(join(folder, 'link.jsonl'), systemEnvironment.fs)).toBeUndefined()
})

test('only the record of that directory is removed', () => {
  const path = join(temporaryFolder(), 'a.jsonl')
  writeOwnerRecord(path, NOTE, systemEnvironment)
  removeOwnerRecord(path, '12:35', systemEnvironment)
  expect(readOwnerRecord(path, systemEnvironment.fs)).toMatchObject(NOTE)
  removeOwnerRecord(path, '12:34', systemEnvironment)
  expect(readOwnerRecord(path, systemEnvironment.fs)).toBeUndefined()
})

test('clearing removes any record, and a missing one is no error', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'a.jsonl')
  writeOwnerRecord(path, NOTE, systemEnvironment)
  clearOwnerRecord(path, systemEnvironment)
  clearOwnerRecord(path, systemEnvironment)
  expect(readdirSync(folder)).toEqual([])
})
