// A writer whose lease another process took. The lock is a real one that is reported as lost, because the
// clock that notices it ticks every two seconds only.

import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import { appendOnce, type LogOptions, LogWriter, readLogSync } from '../../../lib/log/index.js'
import { acquireLock } from '../../../lib/log/lock/acquire.js'
import { readOwnerRecord } from '../../../lib/log/lock/inspect.js'
import { toLogSettings } from '../../../lib/log/options.js'
import { FaultyDisk } from '../../helpers/faulty-disk.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { type FileCall, watchFiles } from '../../helpers/watched-files.js'

const SAID = { type: 'user', payload: { content: 'x' } } as const
const ADVISORY = { useKernelLock: false } as const

/** A writer, and the switch that takes its lease. */
async function openWatched(options: LogOptions) {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  const reported: Diagnostic[] = []
  const settings = toLogSettings({
    ...options,
    onDiagnostic: (diagnostic) => reported.push(diagnostic),
  })
  const real = await acquireLock(path, { mode: 'lease', ...settings.lock, timeoutMs: 0 })
  let isLost = false
  const lock = { ...real, isCompromised: () => isLost }
  const log = new LogWriter(path, lock, settings)
  const lose = () => {
    isLost = true
  }
  return { path, log, reported, real, lose }
}

const codesOf = (reported: readonly Diagnostic[]) => reported.map(({ code }) => code)

test('a lease that is free again is taken back, reported once, and used', async () => {
  const { path, log, reported, real, lose } = await openWatched(ADVISORY)
  const first = await log.append(SAID)
  lose()
  // The other process has released it: no process holds it now.
  real.release()
  const [line] = [...readLogSync(path)]
  await appendOnce(path, [SAID], ADVISORY)
  const third = await log.append(SAID)
  const fourth = await log.append(SAID)
  expect(codesOf(reported)).toEqual(['lock_compromised'])
  expect(reported[0]).toMatchObject({ file: path })
  const events = [...readLogSync(path)].flatMap((entry) =>
    entry.kind === 'event' ? [entry.event] : [],
  )
  expect(events).toHaveLength(4)
  expect(line).toMatchObject({ event: { uuid: first.uuid } })
  expect(events[2]).toMatchObject({ uuid: third.uuid, prev_uuid: events[1]?.uuid })
  expect(events[3]).toMatchObject({ uuid: fourth.uuid, prev_uuid: third.uuid })
  expect(readOwnerRecord(path, systemEnvironment.fs)).toMatchObject({
    mode: 'lease',
    kernel: false,
  })
  await log.close()
  expect(readdirSync(dirname(path))).toEqual(['log.jsonl'])
})

test('while another process has the lease nothing is written, and every append is rejected', async () => {
  const { path, log, reported, lose } = await openWatched(ADVISORY)
  await log.append(SAID)
  lose()
  await expect(log.append(SAID)).rejects.toMatchObject({
    code: 'ERR_LOCKED',
    details: { path },
  })
  expect(() => log.appendSync(SAID)).toThrow(
    expect.objectContaining({ code: 'ERR_LOCKED' }) as Error,
  )
  await new Promise(setImmediate)
  expect(codesOf(reported)).toEqual(['lock_compromised', 'lock_compromised'])
  expect([...readLogSync(path)]).toHaveLength(1)
  await log.close()
})

test('under the kernel lock a lost directory is no reason to stop, but one to look at the file', async () => {
  const disk = new FaultyDisk()
  const { path, log, reported, lose } = await openWatched({
    environment: disk.environment,
    durability: 'none',
  })
  await log.append(SAID)
  const looksOf = async () => {
    const before = disk.calls.length
    await log.append(SAID)
    return disk.calls.slice(before).filter((call) => call === 'statSync').length
  }
  expect(await looksOf()).toBe(0)
  lose()
  expect(await looksOf()).toBe(2)
  expect(reported).toEqual([])
  expect([...readLogSync(path)]).toHaveLength(3)
  await log.close()
})

test('a one-shot signs its lock as one, where it signs it', async () => {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  writeFileSync(path, '')
  const seen: unknown[] = []
  const after = ({ name, path: at }: FileCall) => {
    if (name === 'writeSync' && at === path) seen.push(readOwnerRecord(path, systemEnvironment.fs))
  }
  onTestFinished(watchFiles(dirname(path), { after }))
  await appendOnce(path, [SAID], ADVISORY)
  expect(seen).toMatchObject([{ mode: 'once', kernel: false }])
})
