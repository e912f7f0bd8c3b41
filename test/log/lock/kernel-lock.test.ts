import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  hasKernelLock,
  releaseKernelLock,
  tryKernelLock,
} from '../../../lib/log/lock/kernel-lock.js'
import { temporaryFolder } from './worker.js'

test.runIf(hasKernelLock())('two descriptors of one process exclude each other', () => {
  const path = join(temporaryFolder(), 'a.jsonl')
  const [first, second, third] = [openSync(path, 'a+'), openSync(path, 'a+'), openSync(path, 'a+')]
  expect(tryKernelLock(first)).toBe('locked')
  expect(tryKernelLock(second)).toBe('busy')
  // Closing another descriptor of the same file does not give the lock away.
  closeSync(third)
  expect(tryKernelLock(second)).toBe('busy')
  releaseKernelLock(first)
  expect(tryKernelLock(second)).toBe('locked')
  closeSync(second)
  expect(tryKernelLock(first)).toBe('locked')
  closeSync(first)
})
