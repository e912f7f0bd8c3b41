import { expect, test } from 'vitest'
// @ts-expect-error The benchmarks are plain JavaScript.
import { nearNames } from '../../bench/near-names.mjs'

const NAMES = ['append-200B', 'append-2KB', 'resume-1GB', 'grep-rare', 'list-many']

test('of a name that is not there those that contain it are near', () => {
  expect(nearNames('2kb', NAMES)).toEqual(['append-2KB'])
  expect(nearNames('-', NAMES)).toHaveLength(5)
})

test('otherwise similar spellings, the nearest first; nothing for nonsense', () => {
  expect(nearNames('apend-2KB', NAMES)).toEqual(['append-2KB', 'append-200B'])
  expect(nearNames('nonsense', NAMES)).toEqual([])
  expect(nearNames('', NAMES)).toEqual([])
})
