// A record is whole, or none; and where there is none, there is nothing to remove.

import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { ownerPathOf, readOwnerRecord, removeOwnerRecord } from '../../../lib/log/lock/inspect.js'
import { ownIdentity } from '../../../lib/log/lock/process-identity.js'
import { temporaryFolder } from './worker.js'

const WHOLE = {
  ...ownIdentity(systemEnvironment),
  since: 'then',
  kernel: true,
  mode: 'once',
  dir: '1:1',
}
const aLog = () => join(temporaryFolder(), 'a.jsonl')

test('every field is there and of its kind', () => {
  const path = aLog()
  const read = (changes: object) => {
    writeFileSync(ownerPathOf(path), JSON.stringify({ ...WHOLE, ...changes }))
    return readOwnerRecord(path, systemEnvironment.fs)
  }
  expect(read({})).toEqual(WHOLE)
  expect(read({ mode: 'lease', more: 1 })).toEqual({ ...WHOLE, mode: 'lease' })
  for (const [field, wrong] of [
    ['since', [5, undefined, null]],
    ['kernel', ['true', undefined, null]],
    ['dir', [5, undefined, null]],
    ['mode', ['', 'twice', undefined, 5]],
    ['pid', ['1', 0, undefined]],
  ] as const) {
    for (const value of wrong) expect(read({ [field]: value }), field).toBeUndefined()
  }
})

test('a missing record is not an error', () => {
  const path = aLog()
  expect(() => removeOwnerRecord(path, '1:1', systemEnvironment)).not.toThrow()
  expect(readdirSync(dirname(path))).toEqual([])
})
