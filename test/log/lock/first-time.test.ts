// What a process finds out once, asked of modules that know nothing yet.

import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { temporaryFolder } from './worker.js'

let count = 0

/** The module as a process has it that just started. */
async function startAnew<Module>(name: string): Promise<Module> {
  const url = new URL(`../../../lib/log/lock/${name}.ts?first-time=${++count}`, import.meta.url)
  return (await import(/* @vite-ignore */ url.href)) as Module
}

type Identities = typeof import('../../../lib/log/lock/process-identity.js')
type KernelLock = typeof import('../../../lib/log/lock/kernel-lock.js')

describe.runIf(process.platform === 'linux')('a process knows itself', () => {
  test('by its number, its start, the boot, the namespace and the host', async () => {
    const { ownIdentity } = await startAnew<Identities>('process-identity')
    const stat = readFileSync('/proc/self/stat', 'utf8')
    expect(ownIdentity(systemEnvironment)).toEqual({
      pid: process.pid,
      start: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19],
      boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      ns: readlinkSync('/proc/self/ns/pid'),
      host: hostname(),
    })
    expect(ownIdentity(systemEnvironment)).toBe(ownIdentity(systemEnvironment))
  })

  test('and matches no other process by unknown fields', async () => {
    const { judgeProcess, ownIdentity } = await startAnew<Identities>('process-identity')
    const self = ownIdentity(systemEnvironment)
    expect(judgeProcess(self, systemEnvironment)).toBe('alive')
    expect(judgeProcess({ ...self, start: `${self.start}0` }, systemEnvironment)).toBe('dead')
    expect(judgeProcess({ ...self, boot: 'another' }, systemEnvironment)).toBe('dead')
  })
})

describe('the kernel lock', () => {
  test('is the same at the first call and at later ones', async () => {
    const known = await import('../../../lib/log/lock/kernel-lock.js')
    const path = join(temporaryFolder(), 'a.jsonl')
    for (const ask of ['has', 'try'] as const) {
      const anew = await startAnew<KernelLock>('kernel-lock')
      if (ask === 'has') expect(anew.hasKernelLock()).toBe(known.hasKernelLock())
      const [one, other] = [openSync(path, 'a+'), openSync(path, 'a+')]
      const isThere = known.hasKernelLock()
      expect(anew.tryKernelLock(one)).toBe(isThere ? 'locked' : 'unavailable')
      expect(anew.tryKernelLock(other)).toBe(isThere ? 'busy' : 'unavailable')
      expect(known.tryKernelLock(other)).toBe(isThere ? 'busy' : 'unavailable')
      anew.releaseKernelLock(one)
      expect(anew.tryKernelLock(other)).toBe(isThere ? 'locked' : 'unavailable')
      closeSync(one)
      closeSync(other)
    }
  })
})
