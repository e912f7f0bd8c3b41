// What each event leaves behind, and that no input makes a hook fail.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bypassSession, resumeSession } from '../../lib/free-functions.js'

import {
  findNewestCheckpoint,
  listSidechains,
  openContext,
  readClaim,
} from '../../lib/store/index.js'
import { runCli } from '../cli/command-line.js'
import { CLAIM, Clock, HOUR, MINUTE } from '../helpers/clock.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { bytesOf, eventsOf, hookCli, tell, tellText } from './telling.js'

const EVENTS = [
  ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
  ...['Stop', 'StopFailure', 'SubagentStart', 'SubagentStop', 'PreCompact', 'PostCompact'],
  ...['SessionEnd', 'Notification', 'PermissionRequest', 'ConfigChange'],
]

const typesOf = (root: string, session: string) => eventsOf(root, session).map(({ type }) => type)

describe.each(EVENTS)('%s', (event) => {
  // Requirements: T66, 001-13, 001-37
  it('takes any input without a word on stdout and without failing', async (t) => {
    const root = temporaryFolder(t)
    const inputs = ['', '{', 'null', '[]', '"text"', '{}', '{"session_id":7}', '{"session_id":" "}']
    for (const input of inputs) {
      const { stdout, answer } = await tellText(input, { root, event })
      expect([stdout, answer.inject]).toEqual(['', ''])
    }
    expect(readdirSync(root)).toEqual([])
    const odd = [{}, { agent_id: 'a1' }, { prompt: 7, tool_input: null, messages: [null, 7] }]
    for (const fields of odd) {
      const { stdout, words } = await tell({ session_id: 'demo', ...fields }, { root, event })
      expect([stdout, words]).toEqual(['', ''])
    }
  })

  // Requirements: 000-16, 000-80
  it('carries the session key under either name', async (t) => {
    const root = temporaryFolder(t)
    const fields = {
      ...{ prompt: 'hello', tool_name: 'Read', tool_use_id: 't1', last_assistant_message: 'hi' },
      ...{ agent_id: 'a1', compact_summary: 'short', reason: 'other', error: 'none' },
    }
    const recorded = { '.transcripts': ['session_header'], '.sidechains': ['sidechain_header'] }
    for (const [name, id] of [
      ['session_id', 'snake'],
      ['sessionId', 'camel'],
    ] as const) {
      await tell({ [name]: id, prompt: 'first' }, { root, event: 'UserPromptSubmit' })
      await tell({ ...fields, [name]: id, agent_id: `${id}-1` }, { root, event })
    }
    for (const [folder, [header]] of Object.entries(recorded)) {
      const names = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : []
      const logs = names.filter((file) => file.endsWith('.jsonl'))
      const types = logs.map((file) =>
        eventsOf(root, file.slice(0, -6), folder).map(({ type }) => type),
      )
      expect(types[0]).toEqual(types[1])
      for (const one of types) expect(one[0]).toBe(header)
    }
    expect(eventsOf(root, 'snake')[0]!.payload['session_id']).toBe('snake')
    expect(eventsOf(root, 'camel')[0]!.payload['session_id']).toBe('camel')
  })
})

describe('a hook', () => {
  // Requirement: T66
  it('through the binary exits with 0 whatever it is given', async (t) => {
    const root = temporaryFolder(t)
    const huge = Buffer.alloc(8 * 1024 * 1024 + 1, 0x20)
    const calls = [
      { args: ['hook', 'Stop'], input: 'not JSON', words: /not JSON/ },
      { args: ['hook', 'Stop', '--bogus'], input: '{}', words: /bogus/ },
      { args: ['hook', 'Stop', 'and', 'more'], input: '{}', words: /hook/ },
      { args: ['hook', 'Stop'], input: huge, words: /8 MiB/ },
    ]
    for (const { args, input, words } of calls) {
      const answer = await runCli(args, { root, input })
      expect(answer).toMatchObject({ stdout: '', exitCode: 0 })
      expect(answer.stderr).toMatch(words)
    }
    expect(readdirSync(root)).toEqual([])
  })

  it('reports a problem in one line and exits with 0', async () => {
    const fields = { session_id: 'demo', prompt: 'hello' }
    const { stderr, ...rest } = await runCli(['hook', 'UserPromptSubmit'], {
      root: '/proc/nowhere',
      input: JSON.stringify(fields),
    })
    expect(rest).toEqual({ stdout: '', exitCode: 0 })
    expect(stderr).toMatch(/^jsonl-session hook: ERR_.*\n$/)
  })

  // Requirement: S-16
  it('is named by its event before its argument, in any spelling', async (t) => {
    const root = temporaryFolder(t)
    const named = { session_id: 'a', prompt: 'hi', hook_event_name: 'UserPromptSubmit' }
    await tell(named, { root, event: 'Stop' })
    await tell({ session_id: 'b', userPrompt: 'hi' }, { root, event: 'prompt-submit' })
    expect(typesOf(root, 'a')).toEqual(['session_header', 'user'])
    expect(typesOf(root, 'b')).toEqual(['session_header', 'user'])
  })

  it('without a known name records nothing', async (t) => {
    const root = temporaryFolder(t)
    const { answer, words } = await tell({ session_id: 'demo', prompt: 'hi' }, { root })
    expect([answer, words]).toEqual([{ inject: '' }, ''])
    expect(readdirSync(root)).toEqual([])
  })

  it('is silent when agents that it starts are to start none', async (t) => {
    const root = temporaryFolder(t)
    const options = { root, event: 'SessionStart', env: { JSONL_SESSION_NO_HOOKS: '1' } }
    await tell({ session_id: 'demo' }, options)
    expect(readdirSync(root)).toEqual([])
  })

  // Requirement: T70
  it('keeps every name inside of the store', async (t) => {
    const folder = temporaryFolder(t)
    const root = join(folder, 'store')
    const evil = { session_id: '../../evil', agent_id: '../../../worse', prompt: 'hi' }
    for (const event of EVENTS) {
      await tell({ ...evil, transcript_path: '/etc/passwd', tool_use_id: '../t' }, { root, event })
    }
    expect(readdirSync(folder)).toEqual(['store'])
    const names = [...bytesOf(root, []).keys()]
    expect(names.some((name) => name.startsWith('.transcripts/%2E.%2F..%2Fevil'))).toBe(true)
    expect([...bytesOf(root, []).values()].join('')).not.toContain('root:')
  })

  // Requirements: 001-05, 001-07
  it('says in the header where the session was, and that hooks recorded it', async (t) => {
    const root = temporaryFolder(t)
    const env = { CLAUDE_PROJECT_DIR: '/home/ada/shop' }
    await tell({ session_id: 'demo', cwd: '/tmp/x' }, { root, event: 'SessionStart', env })
    const told = { harness: 'openclaw', project: '/p', harnessAgentId: 'x', parentSessionKey: 'up' }
    await tell({ sessionKey: 'other', ...told }, { root, event: 'session-start' })
    expect(eventsOf(root, 'other')[0]!.payload).toMatchObject({
      ...{ harness: 'openclaw', project: '/p', harness_agent_id: 'x', parent_session_key: 'up' },
    })
    expect(eventsOf(root, 'demo')[0]!.payload).toMatchObject({
      ...{ project: '/home/ada/shop', cwd: '/tmp/x', harness: 'claude-code' },
      lib: { capture: 'hooks' },
    })
  })
})

describe('a prompt', () => {
  // Requirement: T67
  it('reported twice at the same time is recorded once, repeated later it is recorded again', async (t) => {
    const root = temporaryFolder(t)
    const clock = new Clock()
    const at = { root, event: 'UserPromptSubmit', ...clock.environment }
    const say = (fields: object) => tell({ session_id: 'demo', prompt: 'continue', ...fields }, at)
    expect((await say({})).answer.status).toBe('written')
    expect((await say({})).answer.status).toBe('duplicate')
    clock.pass(2000)
    expect((await say({})).answer.status).toBe('written')
    expect((await say({ prompt_id: 'p1' })).answer.status).toBe('written')
    clock.pass(MINUTE)
    expect((await say({ prompt_id: 'p1' })).answer.status).toBe('duplicate')
    expect((await say({ prompt_id: 'p2' })).answer.status).toBe('written')
    expect(typesOf(root, 'demo').filter((type) => type === 'user')).toHaveLength(4)
  })

  // Requirement: T67
  it('through four processes at the same time is recorded once, with one line of history', async (t) => {
    const root = temporaryFolder(t)
    const fields = { session_id: 'demo', prompt: 'yes', hook_event_name: 'UserPromptSubmit' }
    await Promise.all([0, 1, 2, 3].map(() => hookCli({ ...fields, prompt_id: 'p1' }, root)))
    expect(typesOf(root, 'demo')).toEqual(['session_header', 'user'])
    expect(
      [...bytesOf(root)].find(([name]) => name === 'history.jsonl')![1].split('\n'),
    ).toHaveLength(2)
  })

  // Requirement: 000-18
  it.each(['prompt', 'user_prompt', 'userPrompt'])('is found in %s', async (name) => {
    const root = temporaryFolder({ onTestFinished })
    await tell({ session_id: 'demo', [name]: 'hello' }, { root, event: 'UserPromptSubmit' })
    expect(eventsOf(root, 'demo').at(-1)!.payload).toEqual({ content: 'hello' })
  })

  // Requirements: 001-11, 001-12, 001-15, 001-16
  it('prefers what the person typed, and gets no answer', async (t) => {
    const root = temporaryFolder(t)
    const fields = { session_id: 'demo', userMessage: 'typed', userPrompt: 'wrapped' }
    const { stdout, answer } = await tell(fields, { root, event: 'UserPromptSubmit' })
    expect([stdout, answer.inject]).toEqual(['', ''])
    expect(eventsOf(root, 'demo').at(-1)!.payload).toEqual({ content: 'typed' })
  })

  // Requirements: 000-52, 000-78
  it('that is the tenth is recorded, and then leaves a checkpoint', async (t) => {
    const root = temporaryFolder(t)
    const at = { root, event: 'UserPromptSubmit' }
    for (let turn = 1; turn <= 11; turn++) {
      await tell({ session_id: 'demo', prompt: `step ${turn}`, prompt_id: `p${turn}` }, at)
    }
    const { newest } = findNewestCheckpoint(openContext({ root, home: root }), { session: 'demo' })
    expect(newest?.checkpoint).toMatchObject({ trigger: 'periodic', prompt_count: 10 })
    const tenth = eventsOf(root, 'demo').filter(({ type }) => type === 'user')[9]!
    expect(newest?.checkpoint.last_uuid).toBe(tenth.uuid)
  })
})

describe('a claim', () => {
  // Requirement: 004-23
  it('is renewed by every event of its session', async (t) => {
    const root = temporaryFolder(t)
    const clock = new Clock()
    const at = (event: string) => ({ root, event, runtimePath: 'plugin', ...clock.environment })
    await tell({ session_id: 'demo', prompt: 'hi' }, at('UserPromptSubmit'))
    for (const event of ['PreToolUse', 'PostToolUse', 'Stop']) {
      clock.pass(3 * HOUR)
      await tell({ session_id: 'demo', tool_use_id: event }, at(event))
    }
    const store = { root, home: root, environment: clock.environment }
    expect(readClaim(openContext(store), 'demo')).toMatchObject({
      runtimePath: 'plugin',
      claimedAt: clock.iso(-9 * HOUR),
      expiresAt: clock.iso(CLAIM),
    })
  })
})

describe('a stop', () => {
  it('that is asked again about the same prompt is another one', async (t) => {
    const root = temporaryFolder(t)
    const at = { root, event: 'Stop' }
    const stop = { session_id: 'demo', prompt_id: 'p1', last_assistant_message: 'Done.' }
    await tell(stop, at)
    await tell(stop, at)
    await tell({ ...stop, stop_hook_active: true }, at)
    const replies = typesOf(root, 'demo').filter((type) => type === 'assistant')
    expect(replies).toHaveLength(2)
  })

  // Requirement: S-15
  it('finds the reply in a list of messages', async (t) => {
    const root = temporaryFolder(t)
    const messages = [
      { role: 'assistant', content: 'old' },
      { role: 'assistant', content: [{ type: 'text', text: 'new' }] },
      { role: 'user', content: 'ok' },
    ]
    await tell({ session_id: 'demo', messages }, { root, event: 'Stop' })
    expect(eventsOf(root, 'demo')[1]).toMatchObject({
      type: 'assistant',
      payload: { content: 'new' },
    })
  })

  it.each([
    ['a text', 'new', 'new'],
    ['several blocks', [{ text: 'one' }, { type: 'image' }, null, { text: 'two' }], 'one\ntwo'],
  ])('finds the reply in %s', async (_, content, reply) => {
    const root = temporaryFolder({ onTestFinished })
    const messages = [{ role: 'assistant', content }]
    await tell({ session_id: 'demo', messages }, { root, event: 'Stop' })
    expect(eventsOf(root, 'demo')[1]!.payload).toEqual({ content: reply })
  })

  it.each([
    ['blanks', ' \n'],
    ['an image', [{ type: 'image' }]],
    ['nothing', undefined],
  ])('has no reply in a message of %s', async (_, content) => {
    const root = temporaryFolder({ onTestFinished })
    const messages = [
      { role: 'assistant', content: 'old' },
      { role: 'assistant', content },
    ]
    await tell({ session_id: 'demo', messages }, { root, event: 'Stop' })
    expect(typesOf(root, 'demo')).toEqual(['session_header', 'turn_end'])
  })

  it('by a failure is an error and not a reply', async (t) => {
    const root = temporaryFolder(t)
    const fields = { session_id: 'demo', last_assistant_message: 'API Error: 529' }
    await tell(fields, { root, event: 'StopFailure' })
    expect(eventsOf(root, 'demo').at(-1)).toMatchObject({
      type: 'turn_end',
      payload: { error: 'API Error: 529' },
    })
    expect(typesOf(root, 'demo')).not.toContain('assistant')
  })
})

describe('a tool', () => {
  it('nested deeper than a log takes is kept as text', async (t) => {
    const root = temporaryFolder(t)
    const deep = `${'['.repeat(600)}1${']'.repeat(600)}`
    const text = `{"session_id":"demo","tool_use_id":"t1","tool_name":"X","tool_input":${deep}}`
    await tellText(text, { root, event: 'PreToolUse' })
    expect(eventsOf(root, 'demo').at(-1)!.payload['input']).toBe(deep)
  })

  it('with a result nested deeper than a log takes keeps what is no text of it', async (t) => {
    const root = temporaryFolder(t)
    const deep = `${'['.repeat(600)}1${']'.repeat(600)}`
    const text = `{"session_id":"demo","tool_use_id":"t1","tool_name":"X","tool_response":${deep}}`
    await tellText(text, { root, event: 'PostToolUse' })
    const { payload } = eventsOf(root, 'demo').at(-1)!
    expect(payload).toEqual({ tool_call_id: 't1', name: 'X', content: deep, is_error: false })
  })

  it('nested deeper than any text is a line on stderr', async (t) => {
    const root = temporaryFolder(t)
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const text = `{"session_id":"demo","tool_use_id":"t1","tool_input":${deep}}`
    const { answer, words } = await tellText(text, { root, event: 'PreToolUse' })
    expect(answer).toEqual({ inject: '' })
    expect(words).toMatch(/call stack/)
  })

  it('that was interrupted is marked as interrupted', async (t) => {
    const root = temporaryFolder(t)
    const fields = { session_id: 'demo', tool_use_id: 't1', error: 'stopped', is_interrupt: true }
    await tell(fields, { root, event: 'PostToolUseFailure' })
    expect(eventsOf(root, 'demo').at(-1)!.payload).toMatchObject({
      content: 'stopped',
      is_error: true,
      is_interrupt: true,
    })
  })

  it('of a subagent is in the log of the subagent', async (t) => {
    const root = temporaryFolder(t)
    const inside = { session_id: 'demo', agent_id: 'a1', agent_type: 'explore' }
    await tell({ session_id: 'demo', prompt: 'look' }, { root, event: 'UserPromptSubmit' })
    await tell(inside, { root, event: 'SubagentStart' })
    await tell({ ...inside, tool_name: 'Read', tool_use_id: 't1' }, { root, event: 'PreToolUse' })
    const ending = {
      ...inside,
      last_assistant_message: 'Found.',
      agent_transcript_path: '/a.jsonl',
    }
    await tell(ending, { root, event: 'SubagentStop' })
    await tell(ending, { root, event: 'SubagentStop' })
    expect(typesOf(root, 'demo')).toEqual([
      ...['session_header', 'user', 'subagent_spawn', 'subagent_result'],
    ])
    const result = eventsOf(root, 'demo').at(-1)!.payload
    expect(result).toMatchObject({ agent_transcript_path: '/a.jsonl', summary: 'Found.' })
    expect(eventsOf(root, 'a1', '.sidechains').map(({ type }) => type)).toEqual([
      ...['sidechain_header', 'tool_call', 'assistant', 'sidechain_terminator'],
    ])
    const { sidechains } = listSidechains(openContext({ root, home: root }), { session: 'demo' })
    expect(sidechains).toMatchObject([{ taskId: 'a1', status: 'completed', agentType: 'explore' }])
    expect(sidechains[0]!.parentUuid).toBe(eventsOf(root, 'demo')[2]!.uuid)
  })
})

describe('a subagent', () => {
  it('that continues after a stop hook has two endings', async (t) => {
    const root = temporaryFolder(t)
    const at = { root, event: 'SubagentStop' }
    const ending = { session_id: 'demo', agent_id: 'a1', last_assistant_message: 'Found.' }
    await tell(ending, at)
    await tell(ending, at)
    await tell({ ...ending, stop_hook_active: true }, at)
    const results = typesOf(root, 'demo').filter((type) => type === 'subagent_result')
    expect(results).toHaveLength(2)
  })
})

describe('a compaction', () => {
  // Requirements: 001-38, 001-39, 001-45
  it('of a session without a log creates it, with its project', async (t) => {
    const root = temporaryFolder(t)
    const fields = { session_id: 'demo', cwd: '/home/ada/shop', trigger: 'auto' }
    const { answer } = await tell(
      { ...fields, compact_summary: 'We began.' },
      { root, event: 'PostCompact' },
    )
    expect(answer.status).toBe('written')
    expect(typesOf(root, 'demo')).toEqual(['session_header', 'summary', 'compaction_boundary'])
    expect(eventsOf(root, 'demo')[0]!.payload['project']).toBe('/home/ada/shop')
    const { messages } = await resumeSession({ id: 'demo', root, home: root, mode: 'inspect' })
    expect(JSON.stringify(messages)).toContain('We began.')
  })

  // Requirements: 001-36, 001-44
  it('covers what was said before it, and keeps what came meanwhile', async (t) => {
    const root = temporaryFolder(t)
    const clock = new Clock()
    const at = (event: string) => ({ root, event, ...clock.environment })
    const prompt = (text: string) =>
      tell({ session_id: 'demo', prompt: text, prompt_id: text }, at('UserPromptSubmit'))
    await prompt('one')
    await tell({ session_id: 'demo', trigger: 'manual' }, at('PreCompact'))
    await tell({ session_id: 'demo', trigger: 'manual' }, at('PreCompact'))
    await prompt('two')
    const done = { session_id: 'demo', trigger: 'manual', compact_summary: 'One was said.' }
    await Promise.all([0, 1].map(() => tell(done, at('PostCompact'))))
    await prompt('three')
    const types = typesOf(root, 'demo')
    expect(types.filter((type) => type === 'compaction_boundary')).toHaveLength(1)
    const resumed = await resumeSession({ id: 'demo', root, home: root, mode: 'inspect' })
    const said = JSON.stringify(resumed.messages)
    expect(said).toContain('One was said.')
    expect(said).toContain('two')
    expect(said).toContain('three')
    expect(said).not.toContain('"one"')
    const shard = [...bytesOf(root)].find(([name]) => name.startsWith('.checkpoints'))![1]
    expect(shard.match(/"trigger":"pre_compaction"/g)).toHaveLength(1)
  })
})

describe('a bypass', () => {
  // Requirement: 001-64
  it('makes all hooks silent but the end, which gives the claim back', async (t) => {
    const root = temporaryFolder(t)
    const store = { root, home: root }
    await tell({ session_id: 'demo', prompt: 'hi' }, { root, event: 'UserPromptSubmit' })
    await bypassSession('demo', true, store)
    const before = eventsOf(root, 'demo').length
    for (const event of EVENTS.filter((name) => name !== 'SessionEnd')) {
      const { answer, stdout } = await tell({ session_id: 'demo', prompt: 'no' }, { root, event })
      expect(stdout).toBe('')
      if (!['Notification', 'PermissionRequest', 'ConfigChange'].includes(event)) {
        expect(answer).toEqual({ inject: '', bypassed: true })
      }
    }
    const end = await tell({ session_id: 'demo', reason: 'other' }, { root, event: 'SessionEnd' })
    expect(end.answer).toEqual({ inject: '', bypassed: true })
    expect(eventsOf(root, 'demo')).toHaveLength(before)
    expect(readClaim(openContext(store), 'demo')).toMatchObject({
      runtimePath: 'unknown',
      bypassed: false,
    })
  })
})

describe('an end', () => {
  // Requirements: 001-18, 001-19
  it('leaves a checkpoint and a terminator once, and frees the claim', async (t) => {
    const root = temporaryFolder(t)
    const clock = new Clock()
    const at = (event: string) => ({ root, event, ...clock.environment })
    await tell({ session_id: 'demo', prompt: 'hi' }, at('UserPromptSubmit'))
    await Promise.all(
      [0, 1].map(() => tell({ session_id: 'demo', reason: 'logout' }, at('SessionEnd'))),
    )
    clock.pass(MINUTE)
    const late = await tell({ session_id: 'demo', reason: 'logout' }, at('SessionEnd'))
    expect(late.answer).toEqual({ inject: '', duplicateSessionEnd: true })
    expect(typesOf(root, 'demo')).toEqual(['session_header', 'user', 'session_terminator'])
    const shard = [...bytesOf(root)].find(([name]) => name.startsWith('.checkpoints'))![1]
    expect(shard.match(/"trigger":"session_end"/g)).toHaveLength(1)
    expect(
      readClaim(openContext({ root, home: root, environment: clock.environment }), 'demo'),
    ).toMatchObject({
      runtimePath: 'unknown',
    })
  })

  it('reported by a path that does not hold the claim ends nothing', async (t) => {
    const root = temporaryFolder(t)
    const prompt = { session_id: 'demo', prompt: 'hi' }
    await tell(prompt, { root, event: 'UserPromptSubmit', runtimePath: 'plugin' })
    const end = { session_id: 'demo', reason: 'other' }
    const { answer } = await tell(end, { root, event: 'SessionEnd', runtimePath: 'legacy' })
    expect(answer).toEqual({
      inject: '',
      skipped: true,
      duplicateRuntimePath: true,
      claimedBy: 'plugin',
    })
    expect(typesOf(root, 'demo')).toEqual(['session_header', 'user'])
    expect(readClaim(openContext({ root, home: root }), 'demo')).toMatchObject({
      runtimePath: 'plugin',
    })
  })

  it('of a session that left nothing leaves nothing', async (t) => {
    const root = temporaryFolder(t)
    await tell({ session_id: 'demo', reason: 'other' }, { root, event: 'SessionEnd' })
    expect(readdirSync(root)).toEqual([])
  })
})
