// The rare side of the log's decisions: wrong options, odd events, the last moments, odd files.

import {
  existsSync,
  fstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it, type TestContext, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import {
  AtomicFile,
  indexUuids,
  isPrefixOf,
  type LogOptions,
  type NewEvent,
  openLog,
  readLogSync,
  writeAtomicFile,
} from '../../../lib/log/index.js'
import { lockedError } from '../../../lib/log/lock/lock-errors.js'
import { judgeProcess, ownIdentity } from '../../../lib/log/lock/process-identity.js'
import { lazyEvent } from '../../../lib/log/read/decode-entry.js'
import { openForReading } from '../../../lib/log/read/open-for-reading.js'
import { endOfLines, lineStartBefore } from '../../../lib/log/read/scan.js'
import { appendOnceSync } from '../../../lib/log/write/append-once.js'
import { recoverLines } from '../../../lib/log/write/log-file.js'
import { FaultyDisk, type WriterFiles, withFiles } from '../../helpers/faulty-disk.js'
import { foreignLine, id, line, record } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const SAID = { type: 'user', payload: { content: 'x' } } as const

async function newLog(t: TestContext, options: LogOptions = {}) {
  const path = join(temporaryFolder(t), 's.jsonl')
  const log = await openLog(path, options)
  t.onTestFinished(() => log.close())
  return { path, log }
}

const coded = (code: string) => expect.objectContaining({ code }) as Error

it('rejects invalid options; the environment can set the lock timeout', async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  await expect(openLog(path, { durability: 'never' as never })).rejects.toThrow(coded('ERR_ARG'))
  await expect(openLog(path, { lockTimeoutMs: -1 })).rejects.toThrow(coded('ERR_ARG'))
  await expect(openLog(path, { lockTimeoutMs: Number.NaN })).rejects.toThrow(coded('ERR_ARG'))
  await using held = await openLog(path)
  for (const value of ['30', '-5', 'soon']) {
    vi.stubEnv('JSONL_SESSION_LOCK_TIMEOUT_MS', value)
    t.onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const wanted = value === '30' ? {} : { lockTimeoutMs: 1 }
    await expect(openLog(held.path, wanted)).rejects.toThrow(coded('ERR_LOCKED'))
  }
})

it('types are names, and thousands of them are remembered no longer than needed', async (t) => {
  const { log } = await newLog(t, { durability: 'none' })
  await expect(log.append({ ...SAID, type: 5 } as never)).rejects.toThrow(TypeError)
  for (const type of ['Upper', '', 'a b', `a${'x'.repeat(64)}`]) {
    await expect(log.append({ type, payload: {} })).rejects.toThrow(coded('ERR_ARG'))
  }
  const types = Array.from({ length: 1100 }, (_, number) => `type_${number}`)
  await log.appendAll(types.map((type) => ({ type, payload: {} })))
  expect([...readLogSync(log.path)]).toHaveLength(1100)
})

it('an instance of a class without a name is no payload', async (t) => {
  const { log } = await newLog(t)
  const payload = Object.create(Object.create({ constructor: undefined })) as Record<string, never>
  await expect(log.append({ type: 'of_somebody', payload })).rejects.toThrow(coded('ERR_SERIALIZE'))
})

it('an off-chain event follows no other, and one on the chain does', async (t) => {
  const { log } = await newLog(t)
  const { uuid } = await log.append(SAID)
  const revision = { summary_uuid: uuid, text: 'x' }
  const beside = { type: 'summary_revision', payload: revision } as unknown as NewEvent
  await expect(log.append({ ...SAID, prev_uuid: null })).rejects.toThrow(coded('ERR_ARG'))
  await expect(log.append({ ...beside, prev_uuid: uuid })).rejects.toThrow(coded('ERR_ARG'))
  await log.append({ ...beside, prev_uuid: null })
  expect(log.tip).toBe(uuid)
})

// Requirement: 003-23
it('two events of one uuid in one batch are one, or refused', async (t) => {
  const { log, path } = await newLog(t)
  const named = { ...SAID, uuid: 'mine' }
  const [first, second] = await log.appendAll([named, named])
  expect(second).toEqual({ ...first, duplicate: true })
  const other = { ...named, uuid: 'yours' }
  const clash = { ...other, payload: { content: 'other' } }
  await expect(log.appendAll([other, clash])).rejects.toThrow(coded('ERR_UUID_CONFLICT'))
  expect([...readLogSync(path)]).toHaveLength(1)
})

it('appendSync rejects another event of the same uuid, and any event after close()', async (t) => {
  const { log } = await newLog(t)
  expect(['kernel', 'advisory']).toContain(log.lockKind)
  log.appendSync({ ...SAID, uuid: 'mine' })
  const other = { ...SAID, uuid: 'mine', payload: { content: 'other' } }
  expect(() => log.appendSync(other)).toThrow(coded('ERR_UUID_CONFLICT'))
  log.closeSync()
  log.closeSync()
  expect(() => log.appendSync(SAID)).toThrow(coded('ERR_CLOSED'))
})

it('closeSync writes what is held, synced unless durability is none', async (t) => {
  for (const durability of ['none', 'turn'] as const) {
    const disk = new FaultyDisk()
    const { log, path } = await newLog(t, { durability, environment: disk.environment })
    const held = log.append(SAID)
    log.closeSync()
    await held
    expect([...readLogSync(path)]).toHaveLength(1)
    expect(disk.calls.includes('fdatasyncSync')).toBe(durability === 'turn')
  }
})

it('a running sync keeps the file open after close, and the lock is free immediately', async (t) => {
  const disk = systemEnvironment.fs
  const started: { fd: number; go: () => void }[] = []
  const fdatasync: WriterFiles['fdatasync'] = (fd, done) => {
    started.push({ fd, go: () => disk.fdatasync(fd, done) })
  }
  const { log, path } = await newLog(t, { environment: withFiles({ fdatasync }) })
  const held = log.append(SAID)
  log.closeSync()
  await (await openLog(path, { lockTimeoutMs: 0 })).close()
  const [sync] = started
  expect(fstatSync(sync!.fd).ino, 'nobody else has its number').toBe(statSync(path).ino)
  sync!.go()
  await expect(held).resolves.toMatchObject({ byteOffset: 0 })
  expect(() => fstatSync(sync!.fd)).toThrow(coded('EBADF'))
})

it('what is held when the process exits is written then, and synced where that is due', async (t) => {
  const listeners: (() => void)[] = []
  const onExit = (listener: () => void) => {
    listeners.push(listener)
    return () => {}
  }
  // The writer's own listener; the one added before it releases the lock.
  const atExit = () => listeners.at(-1)!()
  const disk = new FaultyDisk()
  const environment = { ...disk.environment, host: { onExit } }
  const { log, path } = await newLog(t, { durability: 'always', environment })
  atExit()
  expect(disk.calls).not.toContain('fdatasyncSync')
  const held = log.append(SAID)
  atExit()
  expect([...readLogSync(path)]).toHaveLength(1)
  expect(disk.calls).toContain('fdatasyncSync')
  await held
})

it('a log without the kernel lock says so', async (t) => {
  const { log } = await newLog(t, { useKernelLock: false })
  expect(log.lockKind).toBe('advisory')
})

it('syncs on the way once many bytes are unsynced', async (t) => {
  const disk = new FaultyDisk()
  const { log } = await newLog(t, { durability: 'turn', environment: disk.environment })
  const payload = { tool_call_id: 't', content: 'x'.repeat(1_000_000), is_error: false }
  for (let number = 0; number < 20; number++) await log.append({ type: 'tool_result', payload })
  expect(disk.calls).toContain('fdatasyncSync')
})

it('a sync that failed once is not tried again', async (t) => {
  const disk = new FaultyDisk()
  const { log } = await newLog(t, { durability: 'turn', environment: disk.environment })
  disk.fail({ call: 'fdatasync', code: 'EIO' })
  await log.append({ type: 'tool_result', payload: { content: 'x' } as never })
  await expect(log.sync()).rejects.toThrow()
  disk.mend()
  expect(() => log.closeSync()).toThrow()
})

it('appending once without waiting takes no options either', (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  appendOnceSync(path, [SAID])
  appendOnceSync(path, [SAID], { durability: 'none' })
  expect([...readLogSync(path)]).toHaveLength(2)
})

it('the end of the last whole line, and the start of the one before', (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  writeFileSync(path, '')
  expect(endOfLines(path, systemEnvironment)).toBe(0)
  expect(lineStartBefore(path, 10, systemEnvironment)).toBe(0)
  writeFileSync(path, 'one\ntwo\n')
  expect(endOfLines(path, systemEnvironment)).toBe(8)
  writeFileSync(path, 'one\ntorn')
  expect(endOfLines(path, systemEnvironment)).toBe(4)
  const long = 'x'.repeat(1_000_000)
  writeFileSync(path, `one\n${long}`)
  expect(endOfLines(path, systemEnvironment)).toBe(4)
})

it('a file is the beginning of another, or not', (t) => {
  const folder = temporaryFolder(t)
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const one = file('one', 'abc')
  expect(isPrefixOf(one, file('same', 'abc'), systemEnvironment)).toBe(true)
  expect(isPrefixOf(one, file('longer', 'abcd'), systemEnvironment)).toBe(true)
  expect(isPrefixOf(one, file('shorter', 'ab'), systemEnvironment)).toBe(false)
  expect(isPrefixOf(one, file('other', 'abXd'), systemEnvironment)).toBe(false)
})

it('a header whose payload is nothing is of no format', async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  writeFileSync(path, foreignLine({ type: 'session_header', ts: 't', uuid: 'h', payload: null }))
  await using log = await openLog(path)
  await log.append(SAID)
  expect([...readLogSync(path)]).toHaveLength(2)
})

it('finds only checksum-verified lines by uuid', (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  const good = line('user', { uuid: id(1) })
  const bad = Buffer.from(line('user', { uuid: id(2) }))
  bad[bad.length - 5] = bad[bad.length - 5]! ^ 1
  const torn = record('user', { uuid: id(3) })
  const nameless = Buffer.from(`x","uuid":"${id(4)}"\n`)
  writeFileSync(path, Buffer.concat([nameless, bad, good, torn]))
  const log = openForReading(path, systemEnvironment)
  const wanted = [4, 3, 2, 1].map(id)
  expect(recoverLines(log, wanted, { from: 0, to: log.size })).toEqual([good])
})

it('a payload that is read later is null where there is none', () => {
  const read = (text: string) => {
    const bytes = Buffer.from(text)
    return lazyEvent(bytes, 0, bytes.length)?.payload
  }
  const whole = record('user', { payload: { a: 1 } }).toString()
  expect(read(whole)).toEqual({ a: 1 })
  expect(read(record('user', { payload: null }).toString())).toBeNull()
  expect(read(whole.replace('{"a":1}', '{"a":2}'))).toBeUndefined()
  expect(read('{"type":5}')).toBeUndefined()
})

it('an empty type or uuid is not spelled as ours, and is not indexed', (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  writeFileSync(path, Buffer.concat([line('user', { uuid: '' }), line('user', { uuid: id(1) })]))
  const index = indexUuids(path)
  expect(index.find('')).toBeUndefined()
  expect(index.find(id(1))).toBeGreaterThan(0)
})

it('a whole file appears once, in pieces of any size, and never over another', async (t) => {
  const path = join(temporaryFolder(t), 'whole.txt')
  const pieces = ['a', 'b'.repeat(100_000), 'c']
  async function* each() {
    yield* pieces
  }
  await writeAtomicFile(path, each(), systemEnvironment)
  expect(readFileSync(path, 'utf8')).toBe(pieces.join(''))
  await expect(writeAtomicFile(path, each(), systemEnvironment)).rejects.toThrow(
    coded('ERR_EXISTS'),
  )
  const taken = new AtomicFile(join(temporaryFolder(t), 'x.txt'), systemEnvironment)
  mkdirSync(taken.path)
  expect(() => taken.finish()).toThrow(coded('ERR_EXISTS'))
  const gone = new AtomicFile(join(temporaryFolder(t), 'x.txt'), systemEnvironment)
  rmSync(gone.temporary)
  expect(() => gone.finish()).toThrow(expect.objectContaining({ name: 'SessionError' }))
  expect(existsSync(gone.path)).toBe(false)
})

it('a process of another boot is dead, unless the boot is unknown', () => {
  const self = ownIdentity(systemEnvironment)
  expect(judgeProcess({ ...self, boot: 'another' }, systemEnvironment)).toBe('dead')
  expect(judgeProcess({ ...self, boot: null }, systemEnvironment)).toBe(
    self.boot === null ? 'alive' : 'unknown',
  )
  expect(judgeProcess(self, systemEnvironment)).toBe('alive')
})

it('the error names the holder of a lock as far as it is known', () => {
  const owner = {
    ...ownIdentity(systemEnvironment),
    since: '2026-01-01T00:00:00.000Z',
    kernel: true,
  }
  const said = lockedError('/x', { owner, ownerState: undefined } as never, systemEnvironment)
  expect(said).toMatchObject({ code: 'ERR_LOCKED', details: { state: 'unknown' } })
  expect(lockedError('/x', {} as never, systemEnvironment).message).toContain('another process')
})

it('a log that another process cut is a typed error, not a short read', async (t) => {
  const { log, path } = await newLog(t)
  await log.append(SAID)
  await log.append(SAID)
  truncateSync(path, 10)
  await expect(log.append(SAID)).rejects.toMatchObject({ name: 'SessionError' })
})

// Requirement: 003-35
it('a folder is 0700 whatever the mask says, and what is no folder is refused', async (t) => {
  const root = temporaryFolder(t)
  const before = process.umask(0o277)
  t.onTestFinished(() => {
    process.umask(before)
  })
  const log = await openLog(join(root, 'store', 's.jsonl')).finally(() => process.umask(before))
  await log.close()
  expect(statSync(join(root, 'store')).mode & 0o777).toBe(0o700)
  writeFileSync(join(root, 'file'), '')
  const inside = openLog(join(root, 'file', 'sub', 's.jsonl'))
  await expect(inside).rejects.toMatchObject({ name: 'SessionError' })
})
