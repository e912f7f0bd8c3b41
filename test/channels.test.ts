// The channels are apart: transcripts, sidechains, checkpoints and the history. One life that uses
// them all, and then a look at every file it left: what is in it, what it refuses, and that harm to
// one of them is harm to no other.

import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { systemEnvironment } from '../lib/environment/index.js'
import { isSessionError } from '../lib/errors.js'
import { type Channel, RECORD_TYPES } from '../lib/format/index.js'
import { append_transcript, createSession, resumeSession } from '../lib/free-functions.js'
import { appendOnce, type NewEvent, readLogSync } from '../lib/log/index.js'
import {
  layoutOf,
  listSessions,
  listSidechains,
  loadSession,
  openContext,
} from '../lib/store/index.js'
import { contextOfLayout } from './helpers/context.js'
import { bareLine, time } from './helpers/lines.js'
import { Random } from './helpers/random.js'
import { temporaryFolder } from './helpers/temporary.js'

const CHANNELS = ['transcript', 'sidechain', 'checkpoint'] as const
const FOLDERS: ReadonlyMap<string, Channel> = new Map([
  ['.transcripts', 'transcript'],
  ['.sidechains', 'sidechain'],
  ['.checkpoints', 'checkpoint'],
])

const foreignTypes = (channel: Channel) =>
  Object.entries(RECORD_TYPES).flatMap(([type, { channels }]) =>
    (channels as readonly Channel[]).includes(channel) ? [] : [type],
  )

function checkpointOf(id: string, session_key: string): NewEvent {
  return {
    type: 'checkpoint',
    payload: {
      id,
      session_key,
      agent_id: 'default',
      harness: 'test',
      project: null,
      project_normalized: null,
      trigger: 'explicit',
      digest: '## Session Checkpoint',
      prompt_count: 1,
      total_prompt_count: 1,
      created_at: time(0),
    },
  }
}

async function live(root: string, id: string): Promise<void> {
  const session = await createSession({ root, home: root, id })
  for (const content of ['one', 'two', 'three']) {
    await session.append({ type: 'user', payload: { content } })
    await session.append({ type: 'assistant', payload: { content: `${content}: done` } })
    await session.append({ type: 'turn_end', payload: {} })
    const prompt = { ts: time(0), prompt: content, session_id: id }
    writeFileSync(join(root, 'history.jsonl'), bareLine(prompt), { flag: 'a' })
  }
  await session.append({ type: 'remember', payload: { text: 'Keys are kebab-case.' } })
  await session.rename(`The life of ${id}`)
  const child = await session.spawn({ taskId: `${id}-child`, prompt: 'Go.' })
  await child.append({ type: 'tool_call', payload: { tool_call_id: 't', name: 'x', input: {} } })
  await child.append({
    type: 'tool_result',
    payload: { tool_call_id: 't', content: 'ok', is_error: false },
  })
  const deeper = await child.spawn({ taskId: `${id}-deeper`, prompt: 'Deeper.' })
  await deeper.finish({ status: 'completed', summary: 'Deep enough.' })
  await child.finish({ status: 'completed', summary: 'Done.' })
  const left = await session.spawn({ taskId: `${id}-left`, prompt: 'Never finished.' })
  await left.append({ type: 'assistant', payload: { content: 'hm' } })
  const keepFrom = session.messages().messages.at(-1)!.uuid
  await session.compact({ summary: 'Three prompts were answered.', keepFrom })
  const shard = join(root, '.checkpoints', `${id}.jsonl`)
  await appendOnce(shard, [checkpointOf(`cp-${id}`, id)], { channel: 'checkpoint' })
  const tombstone = { target_id: `cp-${id}`, reason: 'test' }
  await appendOnce(shard, [{ type: 'checkpoint_tombstone', payload: tombstone }], {
    channel: 'checkpoint',
  })
  await session.append({ type: 'user', payload: { content: 'four' } })
  await session.close()
}

let lived: string

beforeAll(async () => {
  lived = mkdtempSync(join(tmpdir(), 'jsonl-session-'))
  await live(lived, 'one')
  await live(lived, 'two')
  return () => rmSync(lived, { recursive: true })
})

function filesOf(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .sort()
}

// Requirements: 003-05, 003-33
test('no file holds an event of another channel, and every file belongs to one', () => {
  const files = filesOf(lived)
  expect(files).toHaveLength(2 + 2 * 3 + 3 + 1)
  for (const file of files) {
    const path = join(lived, file)
    const channel = FOLDERS.get(file.split('/')[0]!)
    const entries = [...readLogSync(path, { bare: true })]
    expect(entries.length, file).toBeGreaterThan(1)
    for (const entry of entries) {
      if (entry.kind !== 'event') throw new Error(`${file} holds ${entry.kind}`)
      const { type } = entry.event
      if (channel === undefined) expect({ file, type }).toEqual({ file: 'history.jsonl' })
      else expect(foreignTypes(channel), file).not.toContain(type)
    }
  }
})

test('the test covers the record types of all channels', () => {
  const seen = new Set<string>()
  for (const file of filesOf(lived)) {
    for (const entry of readLogSync(join(lived, file), { bare: true })) {
      if (entry.kind === 'event') seen.add(entry.event.type)
    }
  }
  for (const channel of CHANNELS) {
    expect([...seen].filter((type) => foreignTypes(channel).includes(type))).not.toEqual([])
  }
})

// Requirements: 003-05, 003-33
test('each writer refuses every record type of the others, and writes nothing of it', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 'demo' })
  t.onTestFinished(() => session.release())
  const child = await session.spawn({ prompt: 'Go.' })
  const shard = join(root, '.checkpoints', 'demo.jsonl')
  await appendOnce(shard, [checkpointOf('cp', 'demo')], { channel: 'checkpoint' })
  const writers: Record<string, [Channel, (event: NewEvent) => Promise<unknown>]> = {
    session: ['transcript', (event) => session.append(event)],
    'session, several': ['transcript', (event) => session.appendAll([event])],
    'append_transcript while it is open': [
      'transcript',
      (event) => append_transcript({ session_id: 'demo', event }, { root }),
    ],
    append_transcript: [
      'transcript',
      (event) => append_transcript({ session_id: 'other', event }, { root }),
    ],
    sidechain: ['sidechain', (event) => child.append(event)],
    'sidechain, several': ['sidechain', (event) => child.appendAll([event])],
    checkpoint: ['checkpoint', (event) => appendOnce(shard, [event], { channel: 'checkpoint' })],
  }
  const bytesOf = () => filesOf(root).map((file) => `${file} ${statSync(join(root, file)).size}`)
  const before = bytesOf()
  for (const [name, [channel, append]] of Object.entries(writers)) {
    for (const type of foreignTypes(channel)) {
      const error = await append({ type, payload: {} }).catch((thrown: unknown) => thrown)
      expect(isSessionError(error, 'ERR_WRONG_LOG_KIND'), `${name} takes ${type}: ${error}`).toBe(
        true,
      )
    }
  }
  expect(bytesOf()).toEqual(before)
})

/** What each file tells, as its own readers read it; what went wrong where it cannot be read. */
function contentsOf(root: string): Map<string, unknown> {
  const layout = layoutOf({ root, home: root }, systemEnvironment.host)
  const contents = new Map<string, unknown>()
  for (const { path, title, status, events } of listSessions(openContext({ root }), { all: true })
    .sessions) {
    const entries = readable(
      () => loadSession(contextOfLayout(layout), path).log.projection.entries,
    )
    // The folder's own name stands in them.
    const seen = JSON.stringify(entries).replaceAll(root, '')
    contents.set(relative(root, path), { title, status, events, seen })
  }
  for (const { path, ...digest } of listSidechains(openContext({ root })).sidechains) {
    contents.set(relative(root, path), digest)
  }
  for (const file of filesOf(root)) {
    if (contents.has(file)) continue
    contents.set(
      file,
      readable(() => [...readLogSync(join(root, file), { bare: true })]),
    )
  }
  return contents
}

function readable(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (!isSessionError(error)) throw error
    return { error: error.code }
  }
}

const random = new Random(4)
const HARM: Record<string, (path: string) => void> = {
  'random bytes in the middle': (path) => {
    const bytes = readFileSync(path)
    for (let at = Math.floor(bytes.length / 3); at < bytes.length / 2; at++) {
      bytes[at] = random.below(256)
    }
    writeFileSync(path, bytes)
  },
  'nothing but random bytes': (path) => {
    writeFileSync(path, Buffer.from(Array.from({ length: 3000 }, () => random.below(256))))
  },
  'the last half cut off': (path) => {
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.subarray(0, bytes.length / 2))
  },
  'nothing left in it': (path) => writeFileSync(path, ''),
  'the file gone': (path) => rmSync(path),
  'a folder in its place': (path) => {
    rmSync(path)
    mkdirSync(path)
  },
  ...(process.getuid?.() !== 0 && { 'nobody may read it': (path) => chmodSync(path, 0) }),
}

// Requirements: 003-05, 003-43
test.for(Object.keys(HARM))('a file with %s harms no other', (kind, t) => {
  const whole = contentsOf(lived)
  for (const file of filesOf(lived)) {
    const root = temporaryFolder(t)
    cpSync(lived, root, { recursive: true })
    HARM[kind]!(join(root, file))
    const harmed = contentsOf(root)
    for (const [other, told] of whole) {
      if (other !== file) expect(harmed.get(other), `${other} after ${file}`).toEqual(told)
    }
    // The children of a session whose own transcript was harmed are still its children.
    const children = listSidechains(openContext({ root }), { session: 'two' }).sidechains
    const expected = ['two-child', 'two-deeper', 'two-left'].filter(
      (task) => file !== join('.sidechains', `${task}.jsonl`),
    )
    const tasks = children.map(({ taskId }) => taskId)
    expect(tasks, file).toEqual(expect.arrayContaining(expected))
  }
})

// Requirement: 003-43
test('a session at work does not notice what becomes of the other channels', async (t) => {
  const root = temporaryFolder(t)
  cpSync(lived, root, { recursive: true })
  const { session } = await resumeSession({ root, home: root, id: 'one', mode: 'append' })
  const before = session!.messages().messages
  for (const file of filesOf(root)) {
    if (!file.startsWith('.transcripts')) HARM['nothing but random bytes']!(join(root, file))
  }
  expect(session!.messages().messages).toEqual(before)
  const { uuid } = await session!.append({ type: 'user', payload: { content: 'still here' } })
  const child = await session!.spawn({ prompt: 'Go.' })
  await child.finish({ status: 'completed', summary: 'Done.' })
  await session!.compact({ summary: 'It went on.', keepFrom: uuid })
  await session!.close()
  const { messages, degraded } = await resumeSession({ root, id: 'one', mode: 'inspect' })
  expect(messages.map(({ type }) => type)).toEqual(['summary', 'user', 'subagent_result'])
  expect(degraded).toBe(false)
})
