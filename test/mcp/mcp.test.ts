// The MCP server as a harness meets it: the official client, a spawned process of the built
// binary, a store on the disk.

import { spawn } from 'node:child_process'
import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, type TestContext } from 'vitest'
import { systemEnvironment } from '../../lib/environment/index.js'
import {
  append_transcript,
  bypassSession,
  claimSession,
  createSession,
  readItem,
  recover,
  resumeSession,
} from '../../lib/index.js'
import { ownIdentity } from '../../lib/log/index.js'
import { answerOf, BINARY, runCli, startCli } from '../cli/command-line.js'
import { copyProgram } from '../helpers/copy-program.js'
import { temporaryFolder } from '../helpers/temporary.js'

const NAMES = [
  'ingest_turn',
  'read_item',
  'session_checkpoint',
  'session_digest',
  'session_recall',
  'session_recover',
  'session_remember',
  'session_search',
  'session_start',
]

interface Answer {
  readonly isError?: boolean | undefined
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: Record<string, unknown>
}

async function connect(t: TestContext, root: string, options: ClientOptions = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BINARY, 'mcp', '--root', root, '--home', root],
    cwd: root,
    stderr: 'pipe',
  })
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  await client.connect(transport)
  t.onTestFinished(() => client.close())
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as unknown as Answer
  const data = async (name: string, args?: Record<string, unknown>) => {
    const answer = await call(name, args)
    expect(answer.isError, JSON.stringify(answer.content)).not.toBe(true)
    return answer.structuredContent!
  }
  return { client, call, data }
}

async function recorded(root: string, id: string, ...said: string[]) {
  const session = await createSession({ root, home: root, id, project: root, harness: 'test' })
  for (const content of said) await session.append({ type: 'user', payload: { content } })
  await session.close()
}

describe('jsonl-session mcp', () => {
  // Requirements: 004-29, 000-06
  it('offers nine tools, whose descriptions explain how to write a summary', async (t) => {
    const { client } = await connect(t, temporaryFolder(t))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual(NAMES)
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    expect(byName.get('session_checkpoint')?.description).toMatch(
      /as a briefing for the next session/,
    )
    expect(byName.get('session_digest')?.description).toMatch(/decided and why/)
    const looks = tools.filter(({ annotations }) => annotations?.readOnlyHint === true)
    expect(looks.map(({ name }) => name).sort()).toEqual([
      'read_item',
      'session_recover',
      'session_search',
      'session_start',
    ])
  })

  // Requirements: 001-27, 004-20
  it('recalls what was learnt, and records turns that no hook records', async (t) => {
    const root = temporaryFolder(t)
    const { data, call } = await connect(t, root)
    const memories = [{ content: 'The port is 8080', memoryType: 'fact', importance: 4 }]
    await data('session_checkpoint', { sessionSummary: 'Done.', memories })
    const { content, structuredContent } = await call('session_recall', { query: 'port' })
    expect(structuredContent).toMatchObject({ count: 1, results: [{ text: 'The port is 8080' }] })
    expect(content[0]?.text).toMatch(/^- The port is 8080 \(fact, /)
    const inSession = { query: 'port', sessionKey: 's' }
    expect(await data('session_recall', inSession)).toMatchObject({ count: 1, sessionId: 's' })
    expect(await data('session_recall', inSession)).toMatchObject({ count: 0 })
    const again = { ...inSession, includeRecalled: true }
    expect(await data('session_recall', again)).toMatchObject({ count: 1 })
    const turn = { user: 'dig a well', assistant: 'Dug.' }
    const { sessionId, recorded } = await data('ingest_turn', turn)
    expect([sessionId, recorded]).toEqual([expect.stringMatching(/^mcp-/), 2])
    const found = await data('session_search', { query: 'dig a well' })
    expect(found).toMatchObject({ count: 1 })
    expect(await call('ingest_turn', {})).toMatchObject({ isError: true })
  })

  it('a checkpoint of one server is recovered by the next, redacted, in words and as data', async (t) => {
    const root = temporaryFolder(t)
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const first = await connect(t, root)
    const stored = await first.data('session_checkpoint', {
      sessionSummary: `The parser is done; the token is ${secret}.`,
      memories: [{ content: 'Tests run with npm test', memoryType: 'fact', importance: 4 }],
      agentRunId: 'run-1',
    })
    expect(stored).toMatchObject({ stored: 1, skipped: 0 })
    const again = await first.data('session_checkpoint', {
      sessionSummary: `The parser is done; the token is ${secret}.`,
      memories: [{ content: 'Tests run with npm test', memoryType: 'fact', importance: 4 }],
      agentRunId: 'run-1',
    })
    expect(again).toMatchObject({ id: stored['id'], duplicate: true })
    await first.client.close()
    const second = await connect(t, root)
    const { content, structuredContent } = await second.call('session_recover')
    expect(structuredContent).toMatchObject({ found: true, matchedBy: 'project' })
    expect(content[0]?.text).toBe(structuredContent?.['text'])
    expect(content[0]?.text).toContain('The parser is done; the token is [REDACTED]')
    expect(JSON.stringify([content, structuredContent])).not.toContain(secret)
  })

  it('both tools give back what an unfinished session was doing, as far back as asked', async (t) => {
    const root = temporaryFolder(t)
    const environment = { now: () => Date.now() - 5 * 60 * 60 * 1000 }
    const place = { root, home: root, project: realpathSync(root) }
    const cutOff = await createSession({ ...place, id: 'cut-off', environment })
    await cutOff.append({ type: 'user', payload: { content: 'dig a well' } })
    await cutOff.release()
    const { call, data } = await connect(t, root)
    expect(await data('session_recover')).toEqual({ found: false })
    expect(await data('session_start')).toMatchObject({ recovery: null })
    const { content, structuredContent } = await call('session_recover', { withinHours: 6 })
    expect(content[0]?.text).toContain('Prompts:\n- dig a well')
    expect(structuredContent).toMatchObject({
      from: [{ kind: 'transcript', sessionKey: 'cut-off' }],
    })
    expect(await data('session_start', { withinHours: 6 })).toMatchObject({
      recovery: { text: content[0]?.text },
    })
  })

  it('a digest that is sent twice in one run is stored once', async (t) => {
    const { call } = await connect(t, temporaryFolder(t))
    const digest = { digest: 'Here I stand.', runId: 'run-1', sessionKey: 's1' }
    const [first, second] = [
      await call('session_digest', digest),
      await call('session_digest', digest),
    ]
    const { id } = first.structuredContent!
    expect(first.content[0]?.text).toBe(`Stored as checkpoint ${id}.`)
    expect(second.content[0]?.text).toBe(`It was stored before, as checkpoint ${id}.`)
    expect(second.structuredContent).toEqual({ id, duplicate: true })
  })

  it('a start shows what was left, and read_item reads it whole', async (t) => {
    const root = temporaryFolder(t)
    const { data, call } = await connect(t, root)
    const long = `Never touch the schema. ${'Because. '.repeat(40)}`.trim()
    await data('session_checkpoint', {
      sessionSummary: 'Done.',
      memories: [{ content: long, memoryType: 'constraint', importance: 5 }],
      sessionKey: 'first',
    })
    const { content, structuredContent } = await call('session_start', { mode: 'deep' })
    expect(JSON.parse(content[0]!.text!)).toEqual(structuredContent)
    const { constraints } = structuredContent!['sessionContext'] as {
      constraints: { id: string; text: string }[]
    }
    expect(constraints[0]!.text).toHaveLength(120)
    expect(await data('read_item', { id: constraints[0]!.id })).toMatchObject({
      text: long,
      sessionId: 'first',
    })
    expect(readItem(constraints[0]!.id, { root, home: root }).text).toBe(long)
  })

  it('search is a tool; its limit is clamped, and it leaves out secrets', async (t) => {
    const root = temporaryFolder(t)
    await recorded(root, 'alpha', `trunk ports, password=hunter2secret99 please`)
    await recorded(root, 'beta', 'trunk roads')
    const { call, data } = await connect(t, root)
    expect(await data('session_search', { query: 'trunk', limit: 0 })).toMatchObject({ count: 1 })
    const { content, structuredContent } = await call('session_search', { query: 'trunk ports' })
    expect(structuredContent).toMatchObject({ count: 2, hits: [{ sessionKey: 'alpha' }, {}] })
    expect(JSON.stringify([content, structuredContent])).not.toContain('hunter2secret99')
  })

  // Requirement: 001-17
  it('what was said elsewhere is found by the tool, and never injected into a prompt', async (t) => {
    const root = temporaryFolder(t)
    await recorded(root, 'before', 'the trunk ports are audited')
    const { data } = await connect(t, root)
    const found = await data('session_search', { query: 'trunk ports' })
    expect(JSON.stringify(found)).toContain('trunk ports are audited')
    const event = { session_id: 'now', prompt: 'what about the trunk ports?', cwd: root }
    const input = JSON.stringify(event)
    expect(await runCli(['hook', 'UserPromptSubmit'], { root, input })).toMatchObject({
      stdout: '',
      exitCode: 0,
    })
  })

  // Requirements: 001-65, T61
  it('works for a session under bypass as for any other', async (t) => {
    const root = temporaryFolder(t)
    await recorded(root, 'quiet', 'hello')
    const store = { root, home: root }
    expect(await bypassSession('quiet', true, store)).toMatchObject({ bypassed: true })
    await expect(bypassSession('quiet', 'yes' as never, store)).rejects.toThrow()
    await expect(bypassSession('nobody', true, store)).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
    })
    const event = { type: 'user', payload: { content: 'hello again' } } as const
    expect(await append_transcript({ session_id: 'quiet', event }, store)).toHaveProperty('uuid')
    const { data } = await connect(t, root)
    const { id } = await data('session_digest', {
      sessionKey: 'quiet',
      digest: 'Half of it works.',
    })
    const found = await data('session_recover', { sessionKey: 'quiet' })
    expect(found).toMatchObject({ matchedBy: 'session', checkpoint: { id } })
    expect(await data('session_search', { query: 'hello' })).toMatchObject({ count: 1 })
  })

  it('uses the settings of config.json', async (t) => {
    const root = temporaryFolder(t)
    const config = { continuity: { recoveryBudgetChars: 300 } }
    writeFileSync(join(root, 'config.json'), JSON.stringify(config))
    const { data } = await connect(t, root)
    await data('session_digest', { sessionKey: 'long', digest: 'It works. '.repeat(200) })
    const { text } = await data('session_recover', { sessionKey: 'long', source: 'compact' })
    expect(String(text)).toContain('It works.')
    expect(String(text).length).toBeLessThanOrEqual(300)
  })

  it('knows the session of the harness that started it by its claim', async (t) => {
    const root = temporaryFolder(t)
    const store = { root, home: root }
    await recorded(root, 'mine', 'hello')
    // A hook claims in the name of its harness; here that is this process.
    await claimSession('mine', {
      ...store,
      runtimePath: 'plugin',
      owner: ownIdentity(systemEnvironment),
    })
    const { data } = await connect(t, root)
    const { id } = await data('session_digest', { digest: 'Where I stand.' })
    const own = recover({ ...store, sessionKey: 'mine', source: 'compact' })
    expect(own?.checkpoint.id).toBe(id)
    expect(await data('session_recover')).toMatchObject({ matchedBy: 'session' })
  })

  it('what an agent remembers is in the next checkpoint of its session', async (t) => {
    const root = temporaryFolder(t)
    const store = { root, home: root }
    await recorded(root, 'mine', 'hello')
    const { call, data } = await connect(t, root)
    const text = 'the staging port is 8080'
    expect(await call('session_remember', { text })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/give sessionKey.*ERR_ARG/) }],
    })
    const nobody = await call('session_remember', { text, sessionKey: 'nobody' })
    expect(nobody.content[0]?.text).toMatch(/ERR_NOT_FOUND/)
    await claimSession('mine', {
      ...store,
      runtimePath: 'plugin',
      owner: ownIdentity(systemEnvironment),
    })
    const { content, structuredContent } = await call('session_remember', { text })
    expect(content[0]?.text).toBe('Remembered in session mine.')
    expect(structuredContent).toMatchObject({ sessionId: 'mine', queued: false })
    const handle = (await resumeSession({ ...store, id: 'mine', mode: 'append' })).session!
    expect(await data('session_remember', { text: 'use tabs' })).toMatchObject({ queued: true })
    await handle.append({ type: 'user', payload: { content: 'go on' } })
    await handle.close()
    const { checkpoint } = recover({ ...store, sessionKey: 'mine', source: 'resume' })!
    expect(checkpoint.digest).toContain('Remembered: the staging port is 8080')
    expect(checkpoint.digest).toContain('use tabs')
  })

  it('invalid input is an answer to the model, and the server continues', async (t) => {
    const { call, data, client } = await connect(t, temporaryFolder(t))
    const bad: [string, Record<string, unknown>, RegExp][] = [
      ['session_digest', {}, /digest/],
      ['session_digest', { digest: '  ' }, /digest/],
      ['session_checkpoint', { sessionSummary: 'x', memories: [{ content: 1 }] }, /content/],
      [
        'session_checkpoint',
        { sessionSummary: 'x', memories: [{ content: 'y', importance: 9 }] },
        /importance/,
      ],
      ['session_remember', { text: ' ' }, /text/],
      ['session_start', { mode: 'loud' }, /mode/],
      ['session_recover', { budgetChars: 1 }, /budgetChars/],
      ['session_search', { query: '' }, /query/],
      ['read_item', { id: 'checkpoint:nothing:summary' }, /ERR_NOT_FOUND/],
      ['read_item', { id: '../../etc/passwd' }, /ERR_NOT_FOUND/],
    ]
    for (const [name, args, word] of bad) {
      const answer = await call(name, args)
      expect(answer.isError, name).toBe(true)
      expect(answer.content[0]?.text).toMatch(word)
    }
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow()
    expect(await data('session_recover')).toEqual({ found: false })
  })

  it('speaks the protocol of 2026-07-28 with a client that asks for it', async (t) => {
    const versionNegotiation = { mode: { pin: '2026-07-28' } } as const
    const { client, data } = await connect(t, temporaryFolder(t), { versionNegotiation })
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect(await data('session_digest', { digest: 'Here I stand.' })).toMatchObject({
      duplicate: false,
    })
  })

  it('two concurrent servers lose nothing in one store', async (t) => {
    const root = temporaryFolder(t)
    const servers = [await connect(t, root), await connect(t, root)]
    const digests = servers.flatMap(({ data }, server) =>
      Array.from({ length: 10 }, (_, turn) =>
        data('session_digest', { sessionKey: `s${server}`, digest: `turn ${turn} of ${server}` }),
      ),
    )
    const ids = (await Promise.all(digests)).map(({ id }) => id)
    expect(new Set(ids).size).toBe(20)
    for (const [server, { data }] of servers.entries()) {
      const found = await data('session_recover', { sessionKey: `s${1 - server}` })
      expect(found).toMatchObject({ found: true, matchedBy: 'session' })
    }
  })
})

describe('the process of the server', () => {
  const HELLO = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    },
  }

  it('ends with 0 when its stdin closes, and wrote nothing but the protocol', async (t) => {
    const child = startCli(['mcp'], { root: temporaryFolder(t) })
    child.stdin.write(`${JSON.stringify(HELLO)}\nthis is no JSON\n`)
    child.stdout.once('data', () => child.stdin.end())
    const { stdout, exitCode } = await answerOf(child)
    expect(exitCode).toBe(0)
    for (const line of stdout.trimEnd().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    }
  })

  it('says what to install where the package is missing', async (t) => {
    const folder = temporaryFolder(t)
    const child = spawn(process.execPath, [copyProgram(BINARY, folder), 'mcp'])
    child.stdin.end()
    const { stdout, stderr, exitCode } = await answerOf(child)
    expect([stdout, exitCode]).toEqual(['', 2])
    expect(stderr).toContain('npm install @modelcontextprotocol/server')
    expect(stderr).toContain('ERR_MISSING_PACKAGE')
  })

  it('is loaded by no other command', async (t) => {
    const trace = fileURLToPath(new URL('../cli/children/trace-loads.cjs', import.meta.url))
    const child = startCli(['recover'], {
      root: temporaryFolder(t),
      nodeOptions: ['--require', trace],
    })
    child.stdin.end()
    const { stderr } = await answerOf(child)
    expect(stderr).not.toMatch(/modelcontextprotocol|node_modules\/zod/)
  })
})
