// Shells are skipped on the way to whoever started a process, by the names that /proc has for them.

import { spawn } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { temporaryFolder } from './worker.js'

type Identities = typeof import('../../../lib/log/lock/process-identity.js')

let count = 0

async function startAnew(): Promise<Identities> {
  const name = `../../../lib/log/lock/process-identity.ts?shells=${++count}`
  return (await import(/* @vite-ignore */ new URL(name, import.meta.url).href)) as Identities
}

test.runIf(process.platform === 'linux')('of every name, and of no other', async () => {
  const { isOwnProcess, parentIdentity } = await startAnew()
  const folder = temporaryFolder()
  const start = async (name: string) => {
    symlinkSync('/bin/sh', join(folder, name))
    const command = 'echo; read line < /dev/zero; true'
    const child = spawn(join(folder, name), ['-c', command], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    return parentIdentity(child.pid)
  }
  const names = ['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'fish', 'busybox']
  const skipped = await Promise.all(
    names.map(async (name) => isOwnProcess(await start(name), systemEnvironment)),
  )
  expect(skipped).toEqual(names.map(() => true))
  expect(isOwnProcess(await start('harness'), systemEnvironment)).toBe(false)
})
