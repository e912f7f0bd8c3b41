// The calls of a harness, one function each: what they take, what they record, what they return.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import { contextCheckpoint } from '../../../lib/continuity/index.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import {
  announceCompaction,
  completeCompaction,
  endHarnessSession,
  extractFor,
  rememberFor,
  startHarnessSession,
  submitPrompt,
} from '../../../lib/session/record.js'
import { claimSession, listCheckpoints, openContext } from '../../../lib/store/index.js'
import { Clock, MINUTE } from '../../helpers/clock.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { eventsOf } from '../../hooks/telling.js'

const harness = 'openclaw'
const project = '/home/ada/shop'

class Desk {
  readonly root: string
  readonly clock = new Clock()
  readonly reported: Diagnostic[] = []
  readonly store

  constructor(t: TestContext) {
    this.root = temporaryFolder(t)
    const onDiagnostic = (found: Diagnostic) => this.reported.push(found)
    const { environment } = this.clock
    this.store = openContext({ root: this.root, home: this.root, environment, onDiagnostic })
  }

  /** Type and text of each message. */
  messages(session: string, root = this.root) {
    return eventsOf(root, session)
      .filter(({ type }) => type === 'user' || type === 'assistant')
      .map(({ type, payload }) => [type, payload['content']])
  }

  types(session: string) {
    return eventsOf(this.root, session).map(({ type }) => type)
  }
}

// Requirements: 001-13, 001-19, 001-26, 001-37, 001-39, 001-49
it('every call needs a harness, and some a content', async (t) => {
  const { store } = new Desk(t)
  const lacks = (missing: string) => ({ code: 'ERR_ARG', details: { missing } })
  const none = { harness: '', sessionKey: 's', content: 'x', summary: 'x' }
  for (const call of [
    startHarnessSession,
    submitPrompt,
    endHarnessSession,
    rememberFor,
    announceCompaction,
    completeCompaction,
    extractFor,
  ]) {
    await expect(call(store, none)).rejects.toMatchObject(lacks('harness'))
  }
  const asked = { harness, sessionKey: 's' }
  await expect(rememberFor(store, { ...asked, content: ' ' })).rejects.toMatchObject(
    lacks('content'),
  )
  await expect(completeCompaction(store, { ...asked, summary: '' })).rejects.toMatchObject(
    lacks('summary'),
  )
  await expect(extractFor(store, { harness })).rejects.toMatchObject(lacks('sessionKey'))
  await expect(rememberFor(store, { harness, content: 'x' })).rejects.toMatchObject(
    lacks('sessionKey'),
  )
})

// Requirements: 001-13, 001-37
it('with a harness alone a call does nothing and has the usual shape', async (t) => {
  const { store } = new Desk(t)
  expect(await submitPrompt(store, { harness })).toEqual({ sessionId: null, inject: '' })
  expect(await endHarnessSession(store, { harness })).toEqual({ sessionId: null })
  expect(await startHarnessSession(store, { harness })).toMatchObject({
    sessionId: null,
    inject: '',
  })
  expect(await announceCompaction(store, { harness })).toMatchObject({
    sessionId: null,
    checkpointId: null,
    instructions: expect.stringContaining('## Next steps'),
  })
})

describe('a start', () => {
  // Requirement: 001-05
  it('puts into the header what the harness says about the session', async (t) => {
    const desk = new Desk(t)
    const answer = await startHarnessSession(desk.store, {
      ...{ harness, project, sessionKey: 'session:now', harnessAgentId: 'a7' },
      ...{ parentSessionKey: 'up', previousSessionKey: 'before', runtimePath: 'plugin' },
    })
    expect(answer).toMatchObject({ sessionId: 'now', inject: '', sources: [] })
    expect(eventsOf(desk.root, 'now')[0]!.payload).toMatchObject({
      ...{ harness, project, harness_agent_id: 'a7', parent_session_key: 'up' },
      ...{ previous_session_key: 'before', lib: { capture: 'hooks' } },
    })
  })

  // Requirements: 001-05, 001-41
  it('of two agents with equal keys makes two sessions', async (t) => {
    const desk = new Desk(t)
    await submitPrompt(desk.store, { harness, sessionKey: 's', userPrompt: 'mine' })
    const ofNic = { harness, sessionKey: 's', agentId: 'nic', userPrompt: 'his' }
    await submitPrompt(desk.store, ofNic)
    expect(desk.messages('s')).toEqual([['user', 'mine']])
    expect(desk.messages('s', join(desk.root, 'agents', 'nic'))).toEqual([['user', 'his']])
  })

  it('returns what it injects, and again after the caller withdrew it', async (t) => {
    const desk = new Desk(t)
    const memories = [{ content: 'Never push.', memoryType: 'constraint' as const }]
    const of = { sessionKey: 'old', project, sessionSummary: 'Learnt.' }
    await contextCheckpoint(desk.store, { ...of, memories })
    const start = () => startHarnessSession(desk.store, { harness, project, sessionKey: 'now' })
    const first = await start()
    expect(first.inject).toContain('Never push.')
    expect(first.sources).toHaveLength(2)
    await first.withdraw!()
    const second = await start()
    expect(second.inject).toBe(first.inject)
    expect(await start()).toMatchObject({ inject: '', sources: [] })
  })
})

describe('a prompt', () => {
  // Requirement: 001-11
  it('brings the last reply with it, unless that is recorded already', async (t) => {
    const desk = new Desk(t)
    const say = (userPrompt: string, lastAssistantMessage?: string) => {
      desk.clock.pass(MINUTE)
      return submitPrompt(desk.store, {
        harness,
        sessionKey: 's',
        userPrompt,
        lastAssistantMessage,
      })
    }
    await say('one')
    await say('two', 'Done.')
    const twice = { harness, sessionKey: 's', userPrompt: 'three', lastAssistantMessage: 'Done.' }
    desk.clock.pass(MINUTE)
    await submitPrompt(desk.store, twice)
    expect(await submitPrompt(desk.store, twice)).toMatchObject({ status: 'duplicate' })
    expect(desk.messages('s')).toEqual([
      ['user', 'one'],
      ['assistant', 'Done.'],
      ['user', 'two'],
      ['assistant', 'Done.'],
      ['user', 'three'],
    ])
    const reply = { harness, sessionKey: 's', lastAssistantMessage: 'Bye.' }
    expect(await submitPrompt(desk.store, reply)).toEqual({ sessionId: 's', inject: '' })
    await submitPrompt(desk.store, reply)
    expect(desk.messages('s').slice(-2)).toEqual([
      ['user', 'three'],
      ['assistant', 'Bye.'],
    ])
  })
})

describe('an end', () => {
  const ended = { harness, project, sessionKey: 's', reason: 'exit' }

  // Requirements: 001-19, 001-20
  it('stores the transcript of a harness that reported nothing', async (t) => {
    const desk = new Desk(t)
    const transcript = 'User: dig a well\nAssistant: Dug.\nIt is deep.\nHuman: thanks\n'
    const answer = await endHarnessSession(desk.store, { ...ended, transcript })
    expect(answer).toEqual({ sessionId: 's', status: 'written', transcriptMessages: 3 })
    expect(desk.messages('s')).toEqual([
      ['user', 'dig a well'],
      ['assistant', 'Dug.\nIt is deep.'],
      ['user', 'thanks'],
    ])
    expect(desk.types('s').at(-1)).toBe('session_terminator')
    // It is in the digest of the end, and so in the next recovery.
    const [last] = listCheckpoints(desk.store, { session: 's' }).checkpoints
    expect(last!.checkpoint).toMatchObject({ trigger: 'session_end', total_prompt_count: 2 })
    expect(await endHarnessSession(desk.store, { ...ended, transcript })).toMatchObject({
      duplicateSessionEnd: true,
    })
  })

  // Requirement: 001-20
  it('adds only what is missing, and nothing of a transcript of another session', async (t) => {
    const desk = new Desk(t)
    await submitPrompt(desk.store, { ...ended, userPrompt: 'dig a well' })
    const lines = [
      { type: 'user', message: { role: 'user', content: 'dig  a well' } },
      { type: 'user', isMeta: true, message: { role: 'user', content: 'hidden' } },
      {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'text', text: 'Dug.' }] },
      },
      { type: 'progress' },
    ].map((line) => JSON.stringify(line))
    const folder = join(desk.root, 'handed')
    mkdirSync(folder)
    const transcriptPath = join(folder, 'theirs.jsonl')
    writeFileSync(transcriptPath, `${lines.join('\n')}\n`)
    const answer = await endHarnessSession(desk.store, { ...ended, transcriptPath })
    expect(answer).toMatchObject({ transcriptMessages: 1 })
    expect(desk.messages('s')).toEqual([
      ['user', 'dig a well'],
      ['assistant', 'Dug.'],
    ])
    await submitPrompt(desk.store, { ...ended, sessionKey: 'other', userPrompt: 'paint' })
    const wrong = { ...ended, sessionKey: 'other', transcript: `not json\n${lines[0]}` }
    expect(await endHarnessSession(desk.store, wrong)).toMatchObject({ transcriptMessages: 0 })
    const inline = { ...ended, sessionId: 'third', sessionKey: undefined }
    const json = { ...inline, transcript: `${lines.join('\n')}\nbroken` }
    expect(await endHarnessSession(desk.store, json)).toMatchObject({ transcriptMessages: 2 })
    expect(desk.reported.map(({ code }) => code)).toEqual(['transcript_not_matched'])
  })

  it('takes a text file, and reports one that it may not read', async (t) => {
    const desk = new Desk(t)
    const folder = join(desk.root, 'handed')
    mkdirSync(folder)
    const path = join(folder, 'theirs.txt')
    writeFileSync(path, 'User: hello\nAI: Hi.\n')
    expect(await endHarnessSession(desk.store, { ...ended, transcriptPath: path })).toMatchObject({
      transcriptMessages: 2,
    })
    const outside = { ...ended, sessionKey: 'b', transcriptPath: '/etc/passwd' }
    expect(await endHarnessSession(desk.store, outside)).toEqual({ sessionId: 'b' })
    expect(desk.reported.map(({ code }) => code)).toEqual(['transcript_path_refused'])
  })

  // Requirement: 001-19
  it('leaves alone a session that another runtime path records', async (t) => {
    const desk = new Desk(t)
    await submitPrompt(desk.store, { ...ended, userPrompt: 'hello' })
    await claimSession(desk.store, 's', { runtimePath: 'plugin' })
    expect(await endHarnessSession(desk.store, { ...ended, runtimePath: 'legacy' })).toEqual({
      sessionId: 's',
      skipped: true,
      duplicateRuntimePath: true,
      claimedBy: 'plugin',
    })
    expect(desk.types('s')).not.toContain('session_terminator')
  })
})

// Requirements: 001-26, 000-53
it('what is remembered is part of the next checkpoint', async (t) => {
  const desk = new Desk(t)
  const asked = { harness, project, sessionKey: 's', content: 'The port is 8080.' }
  const answer = await rememberFor(desk.store, asked)
  expect(answer).toMatchObject({ sessionId: 's', status: 'written' })
  expect((await rememberFor(desk.store, asked)).status).toBe('duplicate')
  await announceCompaction(desk.store, { harness, sessionKey: 's' })
  const [last] = listCheckpoints(desk.store, { session: 's' }).checkpoints
  expect(last!.checkpoint.recent_remembers).toEqual(['The port is 8080.'])
})

// Requirements: 001-35, 001-36, 001-37, 001-39, 001-46, 000-07
it('a compaction is announced and completed, and only then the epoch changes', async (t) => {
  const desk = new Desk(t)
  const of = { harness, project, sessionKey: 's' }
  await submitPrompt(desk.store, { ...of, userPrompt: 'dig a well' })
  desk.clock.pass(MINUTE)
  const announced = await announceCompaction(desk.store, {
    ...of,
    sessionContext: 'The pump comes on Monday.',
    instructions: 'Keep all names.',
  })
  expect(announced.instructions).toContain('Keep all names.')
  const [stored] = listCheckpoints(desk.store, { session: 's' }).checkpoints
  expect(announced.checkpointId).toBe(stored!.checkpoint.id)
  expect(stored!.checkpoint.digest).toContain('The pump comes on Monday.')
  desk.clock.pass(MINUTE)
  const done = await completeCompaction(desk.store, { ...of, summary: 'A well.', trigger: 'auto' })
  const [summary, boundary] = eventsOf(desk.root, 's').slice(-2)
  expect(done).toEqual({
    sessionId: 's',
    status: 'written',
    success: true,
    summaryUuid: summary!.uuid,
    boundaryUuid: boundary!.uuid,
    contextEpoch: 1,
  })
  expect(boundary!.payload).toMatchObject({ trigger: 'auto' })
  await submitPrompt(desk.store, { ...of, userPrompt: 'deeper' })
  desk.clock.pass(MINUTE)
  await announceCompaction(desk.store, of)
  const unknown = { ...of, sessionKey: 'new', summary: 'All at once.' }
  expect(await completeCompaction(desk.store, unknown)).toMatchObject({ contextEpoch: 1 })
  expect(await completeCompaction(desk.store, { ...of, summary: 'Deeper.' })).toMatchObject({
    contextEpoch: 2,
  })
})

// Requirements: 001-49, 001-50, 001-56
it('an extraction takes its arguments from the request, and gives the next piece after a commit', async (t) => {
  const desk = new Desk(t)
  const of = { harness, project, sessionKey: 's' }
  expect(await extractFor(desk.store, of)).toMatchObject({ skipped: true, reason: 'no_transcript' })
  const transcript = `User: ${'x'.repeat(600)}\n`
  const first = await extractFor(desk.store, { ...of, transcript, transcriptPath: '/etc/passwd' })
  if ('skipped' in first) throw new Error('skipped')
  expect(first).toMatchObject({ queued: true, sessionId: 's', jobId: expect.any(String) })
  expect(first.text).toContain('xxx')
  await first.commit()
  expect(await extractFor(desk.store, { ...of, transcript })).toEqual({
    skipped: true,
    reason: 'too_short',
    sessionId: 's',
  })
  await claimSession(desk.store, 's', { runtimePath: 'plugin' })
  expect(await extractFor(desk.store, { ...of, transcript, runtimePath: 'legacy' })).toMatchObject({
    skipped: true,
    reason: 'claimed',
  })
})
