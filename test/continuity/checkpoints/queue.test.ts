// The queue between a prompt and the disk. The timers are those of vitest; the processes are real.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CheckpointQueue, type CheckpointRecord } from '../../../lib/continuity/index.js'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { SessionError } from '../../../lib/errors.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import { id } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { record } from '../sample.js'
import { MemorySink } from './memory-sink.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function queueOf(sink = new MemorySink()) {
  const diagnostics: Diagnostic[] = []
  const stored: string[] = []
  const queue = new CheckpointQueue(systemEnvironment, {
    sink,
    debounceMs: 2500,
    onStored: ({ id }) => stored.push(id),
    onDiagnostic: (found) => diagnostics.push(found),
  })
  return { queue, sink, stored, codes: () => diagnostics.map(({ code }) => code) }
}

const full = () => new SessionError('ERR_NO_SPACE', 'The disk is full')

// Requirements: 000-39, 000-40, 000-43
test('a queued checkpoint is written 2.5 s after the first entry, which later ones do not postpone', async () => {
  const { queue, sink } = queueOf()
  queue.add(record(1))
  await vi.advanceTimersByTimeAsync(2400)
  queue.add(record(2, { session_key: 'other' }))
  expect(sink.records).toEqual([])
  await vi.advanceTimersByTimeAsync(100)
  expect(sink.records).toEqual([record(1), record(2, { session_key: 'other' })])
  expect(queue.size).toBe(0)
})

// Requirements: T42, 000-41
test('two within 2.5 s become one: the later state, joined lists, 5 + 3 = 8 prompts', async () => {
  const { queue, sink } = queueOf()
  const texts = (letter: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${letter}${from + index}`)
  queue.add(
    record(1, {
      prompt_count: 5,
      memory_queries: texts('q', 1, 15),
      recent_remembers: texts('r', 1, 8),
      prompt_snippets: texts('p', 1, 5),
      project: '/old',
    }),
  )
  const later = record(2, {
    prompt_count: 3,
    cause: 'time_interval',
    memory_queries: texts('q', 16, 25),
    recent_remembers: texts('r', 9, 12),
    prompt_snippets: texts('p', 6, 8),
    last_uuid: id(7),
  })
  queue.add(later)
  await vi.advanceTimersByTimeAsync(2500)
  expect(sink.records).toEqual([
    {
      ...later,
      prompt_count: 8,
      memory_queries: texts('q', 6, 25),
      recent_remembers: texts('r', 3, 12),
      prompt_snippets: texts('p', 1, 8),
    },
  ])
})

test('checkpoints of different sessions or agents are not merged', async () => {
  const { queue, sink } = queueOf()
  const others = [record(2, { session_key: 't' }), record(3, { agent_id: 'b' })]
  for (const one of [record(1), ...others]) queue.add(one)
  await queue.flush()
  expect(sink.records).toEqual([record(1), ...others])
})

// Requirement: T43
test('a pre-compaction checkpoint is merged with the queued one and written immediately', async () => {
  const { queue, sink } = queueOf()
  queue.add(record(1, { prompt_count: 5 }))
  const rescue = record(2, { trigger: 'pre_compaction', prompt_count: 3 })
  const stored = await queue.write(rescue)
  expect(stored.id).toBe(id(2))
  expect(sink.records).toEqual([{ ...rescue, prompt_count: 8 }])
  await vi.advanceTimersByTimeAsync(5000)
  expect(sink.records).toHaveLength(1)
})

test('an agent checkpoint is written after the queued one and not merged with it', async () => {
  const { queue, sink } = queueOf()
  queue.add(record(1))
  await queue.write(record(2, { trigger: 'agent' }))
  expect(sink.records).toEqual([record(1), record(2, { trigger: 'agent' })])
})

test('the summary of a model is never merged away', async () => {
  const { queue, sink } = queueOf()
  const structured = {
    summary: 's',
    topics: [],
    keyDecisions: [],
    openQuestions: [],
    tokensAtCheckpoint: 1,
  }
  queue.add(record(1, { structured }))
  queue.add(record(2))
  await queue.flush()
  expect(sink.records).toEqual([record(1, { structured }), record(2)])
})

test('flushing one session leaves the others queued', async () => {
  const { queue, sink } = queueOf()
  queue.add(record(1))
  queue.add(record(2, { session_key: 't' }))
  await queue.flush(' session:s')
  expect(sink.records).toEqual([record(1)])
  expect(queue.size).toBe(1)
})

// Requirement: 000-42
test('a failed write stays queued, is reported once, and is tried again with the next tick', async () => {
  const { queue, sink, stored, codes } = queueOf()
  sink.error = full()
  queue.add(record(1, { prompt_count: 5 }))
  await vi.advanceTimersByTimeAsync(2500 * 4)
  expect(sink.records).toEqual([])
  expect(codes()).toEqual(['checkpoint_delayed'])
  sink.error = undefined
  queue.add(record(2, { prompt_count: 3 }))
  await vi.advanceTimersByTimeAsync(2500)
  expect(sink.records).toEqual([record(2, { prompt_count: 8 })])
  expect(stored).toEqual([id(2)])
  expect(queue.size).toBe(0)
})

test('write() rejects on failure and the checkpoint is tried again; a retry does not store it twice', async () => {
  const { queue, sink } = queueOf()
  sink.error = full()
  const words = { trigger: 'agent', digest: 'done' } as const
  await expect(queue.write(record(1, { ...words, prompt_count: 5 }))).rejects.toBe(sink.error)
  sink.error = undefined
  await queue.write(record(2, { ...words, prompt_count: 3 }))
  expect(sink.records).toEqual([record(2, { ...words, prompt_count: 8 })])
})

test('an invalid record does not block the others', async () => {
  const { queue, sink, codes } = queueOf()
  const refused = new SessionError('ERR_SERIALIZE', 'JSON would silently change it')
  const write = sink.write
  Object.assign(sink, {
    write: (one: CheckpointRecord) => (one.id === id(1) ? Promise.reject(refused) : write(one)),
  })
  const first = queue.write(record(1, { trigger: 'agent' }))
  const second = queue.write(record(2, { trigger: 'explicit' }))
  await expect(first).rejects.toBe(refused)
  expect(await second).toMatchObject({ id: id(2) })
  expect(codes()).toEqual(['checkpoint_lost'])
  expect(queue.size).toBe(0)
})

test('a checkpoint that is added during a write waits and is not merged into it', async () => {
  const { queue, sink } = queueOf()
  let open = () => {}
  sink.gate = new Promise((resolve) => {
    open = resolve
  })
  const first = queue.write(record(1))
  const second = queue.write(record(2))
  open()
  await Promise.all([first, second])
  expect(sink.records).toEqual([record(1), record(2)])
})

test('flushSync() also writes what is being written, whose late answer has no effect', async () => {
  const { queue, sink, stored } = queueOf()
  let open = () => {}
  sink.gate = new Promise((resolve) => {
    open = resolve
  })
  const first = queue.write(record(1))
  queue.flushSync()
  expect(sink.records).toEqual([record(1)])
  expect(await first).toMatchObject({ id: id(1) })
  open()
  await queue.flush()
  expect(stored).toEqual([id(1)])
})

test('flushSync() keeps the checkpoint queued where the sink has no writeSync', async () => {
  const { write } = new MemorySink()
  const sink = { write }
  const diagnostics: Diagnostic[] = []
  const queue = new CheckpointQueue(systemEnvironment, {
    sink,
    debounceMs: 2500,
    onDiagnostic: (found) => diagnostics.push(found),
  })
  queue.add(record(1))
  queue.flushSync()
  expect(diagnostics).toMatchObject([{ code: 'checkpoint_delayed', uuid: id(1) }])
  expect(queue.size).toBe(1)
  await queue.flush()
  expect(queue.size).toBe(0)
})

const child = fileURLToPath(new URL('../children/queue.mjs', import.meta.url))

async function runChild(t: Parameters<typeof temporaryFolder>[0], mode: string) {
  vi.useRealTimers()
  const file = join(temporaryFolder(t), 'shard')
  const running = spawn(process.execPath, [child, file, mode], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  running.stderr.on('data', (chunk) => {
    stderr += String(chunk)
  })
  if (mode === 'signal') {
    await once(running.stdout, 'data')
    running.kill('SIGTERM')
  }
  const [code, signal] = await once(running, 'close')
  const ids = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  return { code, signal, ids, stderr }
}

// Requirement: 000-43
test('a queue keeps no process alive, and is written when the process ends', async (t) => {
  expect(await runChild(t, 'idle')).toEqual({ code: 0, signal: null, ids: [id(1)], stderr: '' })
})

test('process.exit() writes what is queued', async (t) => {
  expect(await runChild(t, 'exit')).toEqual({ code: 3, signal: null, ids: [id(1)], stderr: '' })
})

// Requirement: T43
test('a handled signal writes what is queued', async (t) => {
  expect(await runChild(t, 'signal')).toEqual({
    code: null,
    signal: 'SIGTERM',
    ids: [id(1)],
    stderr: '',
  })
})

test('a checkpoint that cannot be written at exit is reported', async (t) => {
  const { code, ids, stderr } = await runChild(t, 'full')
  expect({ code, ids }).toEqual({ code: 0, ids: [] })
  expect(stderr).toMatch(/^checkpoint_lost: .*it is lost: no space$/m)
})
