import { expect, test } from 'vitest'
import * as root from '../lib/index.js'

// What only modules of this library need is not exported; the log engine is under /log.
test('the package has at most 80 names at its root', () => {
  expect(Object.keys(root).length).toBeLessThanOrEqual(80)
})
