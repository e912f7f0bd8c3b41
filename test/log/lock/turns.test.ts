import { expect, test } from 'vitest'
import { takeTurn } from '../../../lib/log/lock/turns.js'

test('the first has nobody to wait for, and the next waits for its end', async () => {
  const order: string[] = []
  const first = takeTurn('a')
  const second = takeTurn('a')
  expect(first.ready).toBeUndefined()
  const waiting = second.ready?.then(() => order.push('second'))
  order.push('first')
  first.end()
  await waiting
  expect(order).toEqual(['first', 'second'])
  second.end()
})

test('one that leaves early lets nobody past those before it', async () => {
  const order: string[] = []
  const first = takeTurn('b')
  const impatient = takeTurn('b')
  const third = takeTurn('b')
  impatient.end()
  const waiting = third.ready?.then(() => order.push('third'))
  await Promise.resolve()
  order.push('first')
  first.end()
  await waiting
  expect(order).toEqual(['first', 'third'])
  third.end()
})

test('a queue that has run empty is forgotten', async () => {
  const first = takeTurn('c')
  const second = takeTurn('c')
  first.end()
  await second.ready
  second.end()
  await new Promise(setImmediate)
  expect(takeTurn('c').ready).toBeUndefined()
})

test('two paths do not wait for each other', () => {
  takeTurn('d')
  expect(takeTurn('e').ready).toBeUndefined()
})
