import { execFileSync, spawn } from 'node:child_process'
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

// The lock is one of open file descriptions (fcntl), and flock(2) is another kind; docs/LOGS.md says so.
test.runIf(hasKernelLock() && process.platform === 'linux')(
  'flock(1) of the shell is not rejected by it, and does not reject it',
  async () => {
    const path = join(temporaryFolder(), 'a.jsonl')
    const [own, other] = [openSync(path, 'a+'), openSync(path, 'a+')]
    expect(tryKernelLock(own)).toBe('locked')
    expect(execFileSync('flock', ['--nonblock', path, 'echo', 'both'], { encoding: 'utf8' })).toBe(
      'both\n',
    )
    expect(tryKernelLock(other)).toBe('busy')
    closeSync(own)

    const holder = spawn('flock', [path, 'sh', '-c', 'echo held; exec cat'])
    const ended = new Promise((resolve) => holder.on('close', resolve))
    await new Promise((resolve) => holder.stdout.once('data', resolve))
    expect(() => execFileSync('flock', ['--nonblock', path, 'true'])).toThrow()
    expect(tryKernelLock(other)).toBe('locked')
    closeSync(other)
    holder.stdin.end()
    await ended
  },
)
