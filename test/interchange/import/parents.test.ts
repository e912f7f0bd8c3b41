// Records whose parents come later in the file, or not at all.

import { expect, test } from 'vitest'
import { DamagedParents, type ForeignRecord, LateParents } from '../../../lib/interchange/index.js'

function recordAt(byteOffset: number): ForeignRecord {
  return { value: { at: byteOffset }, byteOffset, length: 10, sha256: 'f'.repeat(64) }
}

test('records wait for their parent by position, and are read again in the order of the file', () => {
  const read: number[] = []
  const late = new LateParents(({ byteOffset }) => {
    read.push(byteOffset)
    return recordAt(byteOffset)
  })
  late.hold('p', recordAt(10))
  late.hold('q', recordAt(20))
  late.hold('p', recordAt(30))
  expect(read).toEqual([])
  expect([...late.take('p')].map(({ value }) => value)).toEqual([{ at: 10 }, { at: 30 }])
  expect([...late.take('p')]).toEqual([])
  expect([...late.takeRest()].map(({ value }) => value)).toEqual([{ at: 20 }])
  expect([...late.takeRest()]).toEqual([])
  expect(read).toEqual([10, 30, 20])
})

test('a record whose parent was probably damaged follows what the damaged line followed', () => {
  const parents = new DamagedParents<string>()
  expect(parents.find('lost')).toBeUndefined()
  parents.addDamage('before')
  expect(parents.find('lost')).toBe('before')
  parents.addDamage('later')
  expect(parents.find('lost'), 'siblings stay together').toBe('before')
  expect(parents.find('other')).toBe('later')
})

test('a file that is damaged everywhere does not fill the memory', () => {
  const parents = new DamagedParents<string>()
  parents.addDamage('before')
  for (let index = 0; index < 10_001; index++) parents.find(`lost-${index}`)
  parents.addDamage('later')
  expect(parents.find('lost-9999')).toBe('before')
  expect(parents.find('lost-10000')).toBe('later')
})
