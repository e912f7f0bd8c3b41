import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { judgeProcess, ownIdentity, parseIdentity } from '../../../lib/log/lock/process-identity.js'
import { startWorker } from './worker.js'

const isLinux = process.platform === 'linux'

test('the own process is alive', () => {
  expect(judgeProcess(ownIdentity(systemEnvironment), systemEnvironment)).toBe('alive')
})

test('a process keeps its identity whatever its name looks like', async () => {
  const worker = startWorker()
  await worker.ask('setTitle', { title: 'a) Z 1 (b c' })
  expect(judgeProcess(await worker.ask('identity'), systemEnvironment)).toBe('alive')
})

// Requirement: T7
test.runIf(isLinux)('a stopped process is stopped, not dead', async () => {
  const worker = startWorker()
  const identity = await worker.ask('identity')
  worker.signal('SIGSTOP')
  await vi.waitFor(() => expect(judgeProcess(identity, systemEnvironment)).toBe('stopped'))
  worker.signal('SIGCONT')
  await vi.waitFor(() => expect(judgeProcess(identity, systemEnvironment)).toBe('alive'))
})

// Requirement: 003-44
test('a killed process is dead', async () => {
  const worker = startWorker()
  const identity = await worker.ask('identity')
  await worker.kill()
  expect(judgeProcess(identity, systemEnvironment)).toBe('dead')
})

test.runIf(isLinux)('a zombie is dead, though its number is taken', async () => {
  // The shell becomes `sleep`, which never asks for the child it inherited.
  const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'])
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = (await parent.stdout[Symbol.asyncIterator]().next()).value.toString().split('\n')
  const pid = Number(line)
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!
  await vi.waitFor(() =>
    expect(judgeProcess({ ...ownIdentity(systemEnvironment), pid, start }, systemEnvironment)).toBe(
      'dead',
    ),
  )
  expect(() => process.kill(pid, 0)).not.toThrow()
})

test.runIf(isLinux)('a number given out again is not the process that had it', () => {
  expect(judgeProcess({ ...ownIdentity(systemEnvironment), start: '1' }, systemEnvironment)).toBe(
    'dead',
  )
})

test.runIf(isLinux)('a process from before the last boot is dead', () => {
  expect(
    judgeProcess({ ...ownIdentity(systemEnvironment), boot: 'another' }, systemEnvironment),
  ).toBe('dead')
})

test('a process on another host or in another namespace is unknown', () => {
  const dead = { ...ownIdentity(systemEnvironment), pid: 2 ** 22 + 1, boot: 'another' }
  expect(judgeProcess({ ...dead, host: 'elsewhere' }, systemEnvironment)).toBe('unknown')
  expect(judgeProcess({ ...dead, ns: 'pid:[1]' }, systemEnvironment)).toBe('unknown')
})

test('without a start time a number in use counts as alive', () => {
  expect(judgeProcess({ ...ownIdentity(systemEnvironment), start: null }, systemEnvironment)).toBe(
    'alive',
  )
})

test.for([
  { name: 'nothing', value: undefined },
  { name: 'null', value: null },
  { name: 'text', value: 'text' },
  { name: 'an empty object', value: {} },
  { name: 'a whole process group', value: { ...ownIdentity(systemEnvironment), pid: 0 } },
  { name: 'a negative pid', value: { ...ownIdentity(systemEnvironment), pid: -1 } },
  { name: 'a fraction of a pid', value: { ...ownIdentity(systemEnvironment), pid: 1.5 } },
  { name: 'a host that is a number', value: { ...ownIdentity(systemEnvironment), host: 7 } },
  { name: 'a missing start', value: { ...ownIdentity(systemEnvironment), start: undefined } },
])('$name is no identity', ({ value }) => {
  expect(parseIdentity(value)).toBeUndefined()
})
