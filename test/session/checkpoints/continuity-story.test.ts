// One piece of work over several contexts, as a harness lives through it: nothing that mattered is
// lost, and nothing that was said is gone.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import {
  createSession,
  forkSession,
  recover,
  recoverOnce,
  resumeSession,
  type Session,
  sessionStart,
} from '../../../lib/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import {
  appendCheckpoint,
  layoutOf,
  listCheckpoints,
  openContext,
} from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const KEY = `sk-ant-api03-${'a1B2'.repeat(12)}`

const talk = async (session: Session, from: number, to: number) => {
  for (let number = from; number <= to; number++) {
    await session.prompt(`prompt ${number}`)
    await session.append({ type: 'assistant', payload: { content: `reply ${number}` } })
  }
}

const textsIn = (path: string) =>
  [...readLogSync(path)].flatMap((entry) =>
    entry.kind === 'event' && ['user', 'assistant'].includes(entry.event.type)
      ? (entry.event.payload as { content: string }).content
      : [],
  )

// Requirements: 000-01, 000-02, 000-09, 004-01
test('what leaves the context is kept by digest, rescue and recovery', async (t) => {
  const root = temporaryFolder(t)
  const project = temporaryFolder(t)
  const first = await createSession({ root, id: 'first', project })
  await talk(first, 1, 12)
  // A running digest, passively; an agent's own words; a rescue before the compaction; the end.
  await first.checkpoint({ digest: 'half of the parser is done' })
  const { messages } = first.messages()
  await first.compact({ summary: 'twelve prompts', keepFrom: messages.at(-2)!.uuid })
  await first.remember('the parser lives in src/parse.ts')
  await first.close()
  const triggers = listCheckpoints(openContext({ root }), { session: 'first' }).checkpoints.map(
    ({ checkpoint }) => checkpoint.trigger,
  )
  expect(new Set(triggers)).toEqual(new Set(['periodic', 'agent', 'pre_compaction', 'session_end']))
  expect(textsIn(first.path)).toHaveLength(24)
  // The next one begins with it, in its context and as an answer.
  const { recovery } = await sessionStart({ root, sessionKey: 'second', project })
  expect(recovery).not.toBeNull()
  expect(recoverOnce('second', { root, project })?.text).toContain('the parser lives in')
})

// Requirement: 002-04
test('a checkpoint takes no message away, from the log or from the model', async (t) => {
  const session = await createSession({ root: temporaryFolder(t), id: 's' })
  await talk(session, 1, 3)
  const before = { bytes: readFileSync(session.path), messages: session.messages().messages }
  await session.checkpoint({ digest: 'so far' })
  const after = readFileSync(session.path)
  expect(after.subarray(0, before.bytes.length).equals(before.bytes)).toBe(true)
  expect(session.messages().messages).toEqual(before.messages)
  await session.close()
})

// Requirements: 001-22, 001-24
test('every session has one file of its own that names where it came from; nothing else lists them', async (t) => {
  const root = temporaryFolder(t)
  const first = await createSession({ root, id: 'first' })
  await talk(first, 1, 2)
  await first.close()
  const { session } = await resumeSession({ root, id: 'first', newId: 'second' })
  await session!.close()
  const fork = await forkSession('first', { root, newId: 'third' })
  expect(fork).toBeDefined()
  const { transcripts } = layoutOf({ root }, systemEnvironment.host)
  expect(readdirSync(transcripts).sort()).toEqual(['first.jsonl', 'second.jsonl', 'third.jsonl'])
  const headerOf = (id: string) =>
    JSON.parse(readFileSync(join(transcripts, `${id}.jsonl`), 'utf8').split('\n')[0]!).payload
  expect(headerOf('second').resumed_from.session_id).toBe('first')
  expect(headerOf('third').forked_from.session_id).toBe('first')
  const others = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.[a-z]+$/.test(name) && !name.endsWith('.jsonl') && !name.startsWith('.'),
  )
  expect(others).toEqual([])
})

// Requirement: 002-27
test('prompts, replies, calls and results become messages with all their fields', async (t) => {
  const session = await createSession({ root: temporaryFolder(t), id: 's' })
  await session.prompt('list it')
  await session.append({ type: 'assistant', payload: { content: 'I look' } })
  const call = { tool_call_id: 'c1', name: 'Bash', input: { command: 'ls' } }
  await session.append({ type: 'tool_call', payload: call })
  const result = { tool_call_id: 'c1', name: 'Bash', content: 'a.ts', is_error: true }
  await session.append({ type: 'tool_result', payload: result })
  expect(session.messages().messages.map(({ type, payload }) => [type, payload])).toEqual([
    ['user', expect.objectContaining({ content: 'list it' })],
    ['assistant', { content: 'I look' }],
    ['tool_call', call],
    ['tool_result', result],
  ])
  await session.close()
})

// Requirements: 000-58, T48
test('a checkpoint that another program wrote is redacted before it is returned', async (t) => {
  const root = temporaryFolder(t)
  const project = temporaryFolder(t)
  const session = await createSession({ root, id: 's', project })
  await session.checkpoint({ digest: `the key is ${KEY}` })
  await session.close()
  const stored = listCheckpoints(openContext({ root }), { session: 's' }).checkpoints[0]!
  expect(readFileSync(stored.path, 'utf8')).not.toContain(KEY)
  // By a writer that does not redact.
  const digest = `the key was ${KEY}`
  const record = {
    session_key: 'old',
    trigger: 'agent',
    harness: 'other',
    prompt_count: 1,
  } as const
  const { path } = await appendCheckpoint(openContext({ root }), { ...record, digest, project })
  expect(readFileSync(path, 'utf8')).toContain(KEY)
  const served = [
    recover({ root, previousSessionKey: 'old' }),
    await sessionStart({ root, sessionKey: 'new', project }),
    recoverOnce('new', { root, previousSessionKey: 'old' }),
  ]
  expect(JSON.stringify(served)).toContain('the key was')
  expect(JSON.stringify(served)).not.toContain(KEY)
})
