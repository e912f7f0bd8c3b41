import { expect, test } from 'vitest'
import { takeTurn } from '../../../lib/log/lock/acquire.js'

let count = 0
/** Queues last as long as the process, so each test has its own. */
const aPath = () => `queue ${++count}`

test('the first does not wait, and the next waits for its end', async () => {
  const order: string[] = []
  const path = aPath()
  const first = takeTurn(path)
  const second = takeTurn(path)
  expect(first.ready).toBeUndefined()
  const waiting = second.ready?.then(() => order.push('second'))
  order.push('first')
  first.end()
  await waiting
  expect(order).toEqual(['first', 'second'])
  second.end()
})

test('one that leaves early lets no other pass those before it', async () => {
  const order: string[] = []
  const path = aPath()
  const first = takeTurn(path)
  const impatient = takeTurn(path)
  const third = takeTurn(path)
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
  const path = aPath()
  const first = takeTurn(path)
  const second = takeTurn(path)
  first.end()
  await second.ready
  second.end()
  await new Promise(setImmediate)
  expect(takeTurn(path).ready).toBeUndefined()
})

test('two paths do not wait for each other', () => {
  takeTurn(aPath())
  expect(takeTurn(aPath()).ready).toBeUndefined()
})
