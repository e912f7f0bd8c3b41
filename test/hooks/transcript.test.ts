// The log of hooks shows what Claude Code would send: what its own transcript holds beyond the hooks
// is taken from there.

import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import { fieldsOf, isGap } from '../../lib/chain/index.js'
import { listCheckpoints, loadSession, openContext } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { eventsOf, type Fields, rowsIn, tell } from './telling.js'

/** A session of Claude Code: what it writes into its transcript, and what it reports to hooks. */
class Client {
  readonly id: string
  readonly root: string
  readonly path: string
  #last: string | null = null
  #lines = 0
  #time = Date.parse('2026-11-18T08:00:00.000Z')

  constructor(id: string, folder: string) {
    this.id = id
    this.root = join(folder, 'store')
    this.path = join(folder, 'projects', `${id}.jsonl`)
    mkdirSync(dirname(this.path), { recursive: true })
  }

  /** Appends a line to the transcript; returns its uuid. */
  write(type: string, fields: Fields): string {
    const uuid = `line-${this.id}-${++this.#lines}`
    const timestamp = new Date(this.#time).toISOString()
    const line = { type, uuid, parentUuid: this.#last, sessionId: this.id, timestamp, ...fields }
    appendFileSync(this.path, `${JSON.stringify(line)}\n`)
    this.#last = uuid
    return uuid
  }

  user(content: unknown, fields: Fields = {}): string {
    return this.write('user', { message: { role: 'user', content }, ...fields })
  }

  reply(...content: Fields[]): string {
    const message = { role: 'assistant', id: `msg-${this.#lines}`, content }
    return this.write('assistant', { message })
  }

  result(id: string, content: string, is_error = false): string {
    return this.user([{ type: 'tool_result', tool_use_id: id, content, is_error }], {
      toolUseResult: {},
    })
  }

  /** The next line follows this one. */
  continueFrom(uuid: string | null): void {
    this.#last = uuid
  }

  fact(fields: Fields): void {
    appendFileSync(this.path, `${JSON.stringify({ sessionId: this.id, ...fields })}\n`)
  }

  hook(hook_event_name: string, fields: Fields = {}) {
    this.#time += 5000
    const event = { hook_event_name, session_id: this.id, transcript_path: this.path, ...fields }
    const now = () => this.#time
    return tell({ permission_mode: 'plan', ...event }, { root: this.root, now })
  }

  prompt(text: string, prompt_id = `prompt of ${text}`) {
    return this.hook('UserPromptSubmit', { prompt: text, prompt_id })
  }

  stop(text: string, fields: Fields = {}) {
    return this.hook('Stop', { last_assistant_message: text, ...fields })
  }

  /** What the model would see, a line for each message. */
  get seen(): string[] {
    const store = openContext({ root: this.root, home: this.root })
    const { projection } = loadSession(store, store.layout.transcriptPath(this.id)).log
    return projection.entries.map((entry) => {
      if (isGap(entry)) return entry.kind
      const { content, tool_call_id, text } = fieldsOf(entry.event.payload)
      const shown = content ?? text
      const said = typeof shown === 'string' ? shown : JSON.stringify(shown)
      return [entry.kind === 'summary' ? 'summary' : entry.event.type, tool_call_id, said]
        .filter((part) => part !== undefined)
        .join(' ')
    })
  }
}

const text = (said: string) => ({ type: 'text', text: said })
const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: id } })
const toolFields = (id: string) => ({
  ...{ tool_name: 'Bash', tool_use_id: id, tool_input: { command: id } },
})

function newClient(t: TestContext, id = 'demo'): Client {
  return new Client(id, temporaryFolder(t))
}

describe('the transcript of the client', () => {
  // Requirement: 004-20
  it('adds the texts between tool calls, in their places', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    client.user('go')
    client.reply(text('First I look.'), call('c1'))
    await client.hook('PreToolUse', toolFields('c1'))
    await client.hook('PostToolUse', { ...toolFields('c1'), tool_response: { stdout: 'one' } })
    client.result('c1', 'one')
    await client.hook('PostToolBatch', {
      tool_calls: [{ ...toolFields('c1'), tool_response: 'one' }],
    })
    client.reply(text('Then I act.'), call('c2'))
    await client.hook('PreToolUse', toolFields('c2'))
    client.result('c2', 'two')
    client.reply(text('Done.'))
    await client.stop('Done.')
    expect(client.seen).toEqual([
      ...['user go', 'assistant First I look.', 'tool_call c1', 'tool_result c1 one'],
      ...['assistant Then I act.', 'tool_call c2', 'tool_result c2 two'],
      'assistant Done.',
    ])
  })

  it('is read only from the last known line on', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    client.user('go')
    client.reply(text('one'))
    await client.stop('one')
    const before = readFileSync(client.path)
    // What was read is not read again, so that it does not matter any more.
    writeFileSync(
      client.path,
      Buffer.concat([Buffer.alloc(before.length - 1, 'x'), Buffer.from('\n')]),
    )
    await client.prompt('again')
    client.user('again')
    client.reply(text('two'))
    await client.stop('two')
    expect(client.seen).toEqual(['user go', 'assistant one', 'user again', 'assistant two'])
  })

  it('keeps three equal replies to one prompt', async (t) => {
    const client = newClient(t)
    await client.prompt('go', 'p1')
    client.user('go')
    client.reply(text('Done.'))
    await client.stop('Done.', { prompt_id: 'p1' })
    for (const _ of [1, 2]) {
      client.user('<bash-input>ls</bash-input>')
      client.user('<bash-stdout></bash-stdout>')
      await client.stop('Done.', { prompt_id: 'p1' })
      client.reply(text('Done.'))
    }
    await client.hook('SessionEnd', { reason: 'other' })
    expect(client.seen.filter((it) => it === 'assistant Done.')).toHaveLength(3)
  })

  it('records prompts that were typed while the model worked', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    client.user('go')
    client.reply(call('c1'))
    await client.hook('PreToolUse', toolFields('c1'))
    client.result('c1', 'one')
    client.user('and this, too')
    client.reply(text('Both.'))
    await client.stop('Both.')
    expect(client.seen.slice(2)).toEqual([
      ...['tool_result c1 one', 'user and this, too', 'assistant Both.'],
    ])
  })

  it('brings a message that hooks reported early into its place', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    client.user('go')
    client.reply(text('Hm.'))
    await client.stop('All done.')
    client.reply({ type: 'thinking', thinking: 'so', signature: 's' })
    client.reply(text('All done.'))
    await client.prompt('next')
    expect(client.seen).toEqual([
      ...['user go', 'assistant Hm.'],
      'assistant [{"type":"thinking","thinking":"so","signature":"s"}]',
      ...['assistant All done.', 'user next'],
    ])
  })

  it('shows a prompt as the client expanded it', async (t) => {
    const client = newClient(t)
    await client.hook('UserPromptExpansion', { prompt: '/review it', prompt_id: 'p1' })
    await client.prompt('/review it', 'p1')
    client.user('<command-name>/review</command-name>', { promptId: 'p1' })
    client.user('Review the changes: it', { promptId: 'p1', isMeta: true })
    client.reply(text('Fine.'))
    await client.stop('Fine.', { prompt_id: 'p1' })
    expect(client.seen).toEqual([
      'user <command-name>/review</command-name>',
      ...['user Review the changes: it', 'assistant Fine.'],
    ])
    expect(rowsIn(join(client.root, 'history.jsonl'))).toHaveLength(1)
  })

  it('records everything once, however often the hooks are registered', async (t) => {
    const client = newClient(t)
    const thrice = async (run: () => Promise<unknown>) => Promise.all([run(), run(), run()])
    await thrice(() => client.prompt('go'))
    client.user('go')
    client.reply(text('Look.'), call('c1'))
    await thrice(() => client.hook('PreToolUse', toolFields('c1')))
    const batch = { tool_calls: [{ ...toolFields('c1'), tool_response: 'one' }] }
    await thrice(() => client.hook('PostToolBatch', batch))
    client.result('c1', 'one')
    await thrice(() => client.stop('Done.'))
    client.reply(text('Done.'))
    await thrice(() => client.hook('SessionEnd', { reason: 'other' }))
    const types = eventsOf(client.root, 'demo').map(({ type }) => type)
    expect(types).toEqual([
      ...['session_header', 'user', 'assistant', 'tool_call', 'tool_result', 'assistant'],
      ...['turn_end', 'session_terminator'],
    ])
  })

  it.each([
    ['is missing', (_: string) => {}],
    ['is of another program', (path: string) => writeFileSync(path, '{"role":"user"}\n')],
    ['is not JSON', (path: string) => writeFileSync(path, 'no\n\n[]\n{"a":\n')],
    ['is a folder', (path: string) => mkdirSync(path)],
  ])('that %s leaves what the hooks report', async (_, make) => {
    const folder = temporaryFolder({ onTestFinished: () => {} } as never)
    const client = new Client('demo', folder)
    make(client.path)
    await client.prompt('go')
    await client.hook('PreToolUse', toolFields('c1'))
    await client.hook('PostToolUse', { ...toolFields('c1'), tool_response: 'one' })
    const { words } = await client.stop('Done.')
    expect(words).toBe('')
    expect(client.seen).toEqual([
      ...['user go', 'tool_call c1', 'tool_result c1 one', 'assistant Done.'],
    ])
  })

  it('leaves no permission mode on the disk', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    client.user('go', { permissionMode: 'bypassPermissions' })
    client.fact({ type: 'permission-mode', mode: 'bypassPermissions' })
    client.reply(text('Done.'))
    await client.stop('Done.')
    await client.hook('SessionEnd')
    const files = readdirSync(client.root, { recursive: true, encoding: 'utf8' })
    const logs = files.filter((name) => name.endsWith('.jsonl'))
    const bytes = logs.map((name) => readFileSync(join(client.root, name), 'utf8')).join('')
    expect(bytes).not.toMatch(/bypassPermissions|permission_?mode|"plan"/i)
  })
})

describe('a tool that did not run', () => {
  it('has the text that the model read, from the batch', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    const error = '<tool_use_error>Error: No such tool available: Nope</tool_use_error>'
    const tool_calls = [{ tool_name: 'Nope', tool_use_id: 'c1', tool_response: error }]
    await client.hook('PostToolBatch', { tool_calls })
    const result = eventsOf(client.root, 'demo').find(({ type }) => type === 'tool_result')
    expect(result?.payload).toMatchObject({ tool_call_id: 'c1', content: error, is_error: true })
  })

  it('is settled by the next event after Esc', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    client.user('go')
    client.reply(call('c1'))
    await client.hook('PreToolUse', toolFields('c1'))
    client.result('c1', 'The user does not want to proceed', true)
    client.user([text('[Request interrupted by user for tool use]')])
    await client.prompt('something else')
    expect(client.seen.slice(2)).toEqual([
      'tool_result c1 The user does not want to proceed',
      'user [Request interrupted by user for tool use]',
      'user something else',
    ])
  })

  it('keeps the order of parallel calls and of their results', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    for (const id of ['c2', 'c1']) {
      if (id === 'c1') await client.hook('PreToolUse', toolFields(id))
    }
    const tool_calls = ['c1', 'c2'].map((id) => ({ ...toolFields(id), tool_response: id }))
    await client.hook('PostToolBatch', { tool_calls })
    expect(client.seen.slice(1)).toEqual([
      ...['tool_call c1', 'tool_call c2'],
      ...['tool_result c1 c1', 'tool_result c2 c2'],
    ])
  })
})

describe('a compaction by the client', () => {
  const compact = (client: Client, kept: readonly string[]) => {
    client.continueFrom(null)
    const boundary = client.write('system', {
      subtype: 'compact_boundary',
      compactMetadata: {
        trigger: 'manual',
        preTokens: 100,
        preservedMessages: { anchorUuid: 'summary', uuids: kept },
      },
    })
    client.user('Continued: the summary', { isCompactSummary: true })
    return boundary
  }

  async function startCompacting(t: TestContext) {
    const client = newClient(t)
    await client.prompt('go')
    client.user('go')
    client.reply(text('one'))
    await client.stop('one')
    await client.prompt('more')
    client.user('more')
    const last = client.reply(text('two'))
    await client.stop('two')
    await client.hook('PreCompact', { trigger: 'manual', custom_instructions: 'keep numbers' })
    return { client, last }
  }

  it('shows its summary once, and what it kept', async (t) => {
    const { client, last } = await startCompacting(t)
    const summary = '<analysis>hm</analysis><summary>the summary</summary>'
    await client.hook('SubagentStop', {
      ...{ agent_id: 'a1', agent_type: '', last_assistant_message: summary },
    })
    await client.hook('PostCompact', { trigger: 'manual', compact_summary: summary })
    compact(client, [last])
    await client.hook('SessionEnd', { reason: 'other' })
    expect(client.seen).toEqual(['summary Continued: the summary', 'assistant two'])
    const files = readdirSync(client.root)
    expect(files).not.toContain('.sidechains')
    const types = eventsOf(client.root, 'demo').map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('subagent'))).toEqual([])
  })

  it('without a transcript shows the summary without the analysis', async (t) => {
    const { client } = await startCompacting(t)
    const summary = '<analysis>hm</analysis>\n<summary>\nthe summary\n</summary>'
    await client.hook('PostCompact', { compact_summary: summary, transcript_path: undefined })
    expect(client.seen).toEqual(['summary the summary'])
  })

  it('leaves a checkpoint with what was said, not only with its instructions', async (t) => {
    const { client } = await startCompacting(t)
    const folder = join(client.root, '.checkpoints')
    const [file] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.jsonl'),
    )
    const bytes = readFileSync(join(folder, file!), 'utf8')
    expect(bytes).toContain('keep numbers')
    expect(bytes).toContain('User: more')
  })

  it('keeps messages that the log does not have', async (t) => {
    const { client } = await startCompacting(t)
    const missed = client.reply(text('three'))
    compact(client, [missed])
    await client.prompt('after')
    client.user('after')
    await client.hook('SessionEnd')
    expect(client.seen).toEqual(['summary Continued: the summary', 'assistant three', 'user after'])
  })

  it('in the middle of a turn is followed by what hooks have reported since', async (t) => {
    const { client, last } = await startCompacting(t)
    compact(client, [last])
    client.user('after')
    await client.hook('PreToolUse', toolFields('c9'))
    client.reply(call('c9'))
    client.result('c9', 'nine')
    await client.stop('ok')
    expect(client.seen).toEqual([
      ...['summary Continued: the summary', 'assistant two', 'user after'],
      ...['tool_call c9', 'tool_result c9 nine', 'assistant ok'],
    ])
  })

  it('may be followed by a rewind into what it kept', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    const first = client.user('go')
    const one = client.reply(text('one'))
    await client.stop('one')
    await client.hook('PreCompact')
    compact(client, [first, one])
    await client.hook('SessionStart', { source: 'compact' })
    expect(client.seen).toEqual(['summary Continued: the summary', 'user go', 'assistant one'])
    client.continueFrom(first)
    client.reply(text('another'))
    await client.stop('another')
    expect(client.seen).toEqual(['summary Continued: the summary', 'user go', 'assistant another'])
  })
})

describe('a rewind by the client', () => {
  async function talk(t: TestContext) {
    const client = newClient(t)
    await client.prompt('one')
    client.user('one')
    const first = client.reply(text('1'))
    await client.stop('1')
    await client.prompt('two')
    client.user('two')
    client.reply(text('2'))
    await client.stop('2')
    return { client, first }
  }

  it('shows by the line that follows another one', async (t) => {
    const { client, first } = await talk(t)
    await client.prompt('three')
    client.continueFrom(first)
    client.user('three')
    client.reply(text('3'))
    await client.stop('3')
    expect(client.seen).toEqual(['user one', 'assistant 1', 'user three', 'assistant 3'])
  })

  it('shows by the leaf, without another message', async (t) => {
    const { client, first } = await talk(t)
    client.fact({ type: 'last-prompt', leafUuid: first, explicit: true })
    await client.hook('SessionEnd', { reason: 'other' })
    expect(client.seen).toEqual(['user one', 'assistant 1'])
    const rewind = eventsOf(client.root, 'demo').findLast(({ type }) => type === 'rewind')
    expect(rewind?.payload).toMatchObject({ reason: 'as in the transcript of the client' })
  })

  it('shows by the leaf that was the newest line when the transcript was last read', async (t) => {
    const client = newClient(t)
    await client.prompt('one')
    client.user('one')
    const first = client.reply(text('1'))
    await client.stop('1')
    // The client writes all of the second turn after its hooks.
    await client.prompt('two')
    await client.stop('2')
    client.write('system', { subtype: 'stop_hook_summary' })
    client.user('two')
    client.reply(text('2'))
    client.fact({ type: 'last-prompt', leafUuid: first, explicit: true })
    await client.hook('SessionEnd', { reason: 'other' })
    expect(client.seen).toEqual(['user one', 'assistant 1'])
  })

  it('removes what was taken back from the digest of the session', async (t) => {
    const { client, first } = await talk(t)
    client.fact({ type: 'last-prompt', leafUuid: first, explicit: true })
    client.continueFrom(first)
    client.user('<command-name>/exit</command-name>')
    await client.hook('SessionEnd', { reason: 'other' })
    const store = openContext({ root: client.root, home: client.root })
    const [end] = listCheckpoints(store, { session: 'demo' }).checkpoints
    expect(end!.checkpoint.total_prompt_count).toBe(1)
    expect(end!.checkpoint.digest).toMatch(/### Recent Prompts\n- one$/)
    const added = eventsOf(client.root, 'demo').findLast(({ type }) => type === 'user')
    expect(added?.payload).toMatchObject({ is_meta: true })
  })

  it('to the beginning leaves nothing of what was said', async (t) => {
    const { client } = await talk(t)
    await client.prompt('anew')
    client.continueFrom(null)
    client.user('anew')
    client.reply(text('new'))
    await client.stop('new')
    expect(client.seen).toEqual(['user anew', 'assistant new'])
  })

  it('removes a prompt that was never sent, when the session is resumed', async (t) => {
    const { client } = await talk(t)
    await client.prompt('never sent')
    expect(client.seen.at(-1)).toBe('user never sent')
    await client.hook('SessionStart', { source: 'resume' })
    expect(client.seen.at(-1)).toBe('assistant 2')
  })
})

describe('a prompt that is typed while the model works', () => {
  const queued = (prompt: string, fields: Fields = {}) => ({
    attachment: { type: 'queued_command', prompt, commandMode: 'prompt', ...fields },
  })

  it('gets one line in the history; a notification of the client gets none', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    client.user('go')
    client.reply(text('First.'), call('c1'))
    await client.hook('PreToolUse', toolFields('c1'))
    client.result('c1', 'one')
    client.write('attachment', queued('and this'))
    client.write('attachment', queued('<task-notification>', { commandMode: 'task-notification' }))
    const batch = { tool_calls: [{ ...toolFields('c1'), tool_response: 'one' }] }
    await client.hook('PostToolBatch', batch)
    client.reply(text('Done.'))
    await client.stop('Done.')
    await client.hook('SessionStart', { source: 'resume' })
    const history = rowsIn(join(client.root, 'history.jsonl'))
    expect(history.map(({ prompt }) => prompt)).toEqual(['go', 'and this'])
    const event = eventsOf(client.root, 'demo').find(
      ({ payload }) => payload['content'] === 'and this',
    )
    expect(event).toMatchObject({ payload: { source: 'queued' } })
    expect(history.at(-1)).toMatchObject({ session_id: 'demo', event_uuid: event!.uuid })
  })
})

describe('the log of a subagent', () => {
  const fields = { agent_id: 'a1', agent_type: 'explorer' }

  function newSubagent(t: TestContext) {
    const client = newClient(t)
    const agent = new Client('agent-a1', temporaryFolder(t))
    const path = client.path.replace(/\.jsonl$/, '/subagents/agent-a1.jsonl')
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(agent.path, path)
    const events = () => rowsIn(join(client.root, '.sidechains', 'a1.jsonl'))
    const said = () =>
      events().flatMap(({ type, payload }) => {
        const { content, tool_call_id } = payload as Fields
        return isSpoken(type) ? [`${type} ${tool_call_id ?? ''} ${content ?? ''}`] : []
      })
    return { client, agent, events, said }
  }

  const isSpoken = (type: unknown) =>
    ['user', 'assistant', 'tool_call', 'tool_result'].includes(String(type))
  const SIDE = { isSidechain: true }

  it('adds its prompt, its texts and its results, each once', async (t) => {
    const { client, agent, said, events } = newSubagent(t)
    await client.prompt('go')
    await client.hook('SubagentStart', fields)
    agent.user('look there', SIDE)
    agent.reply(text('I look.'), call('c1'))
    await client.hook('PreToolUse', { ...toolFields('c1'), ...fields })
    const response = { tool_response: { stdout: 'one' } }
    await client.hook('PostToolUse', { ...toolFields('c1'), ...fields, ...response })
    agent.result('c1', 'one')
    const batch = { tool_calls: [{ ...toolFields('c1'), tool_response: 'one' }] }
    await client.hook('PostToolBatch', { ...batch, ...fields })
    agent.reply(text('Found.'))
    const stop = { ...fields, last_assistant_message: 'Found.' }
    await client.hook('SubagentStop', stop)
    expect(said()).toEqual([
      'user  look there',
      'assistant  I look.',
      'tool_call c1 ',
      'tool_result c1 one',
      'assistant  Found.',
    ])
    expect(events().at(-1)).toMatchObject({ type: 'sidechain_terminator' })
    expect(client.seen).toEqual(['user go', 'subagent_result'])
  })

  it('is read from where it was read before, also when the hooks came first', async (t) => {
    const { client, agent, said } = newSubagent(t)
    await client.prompt('go')
    await client.hook('SubagentStart', fields)
    await client.hook('PreToolUse', { ...toolFields('c1'), ...fields })
    agent.user('look there', SIDE)
    agent.reply(text('I look.'), call('c1'))
    agent.result('c1', 'one')
    agent.reply(text('Once more.'), call('c2'))
    await client.hook('PreToolUse', { ...toolFields('c2'), ...fields })
    await client.hook('SubagentStop', { ...fields, last_assistant_message: 'Found.' })
    const lines = said()
    expect(lines.filter((line) => line.endsWith('I look.'))).toHaveLength(1)
    expect(lines.slice(-4)).toEqual([
      'tool_result c1 one',
      'assistant  Once more.',
      'tool_call c2 ',
      'assistant  Found.',
    ])
  })
})

describe('other sessions', () => {
  it('a fork names its source, which ends', async (t) => {
    const folder = temporaryFolder(t)
    const source = new Client('source', folder)
    await source.hook('SessionStart', { source: 'startup' })
    await source.prompt('one')
    const lines = [source.user('one'), source.reply(text('1'))]
    await source.stop('1')
    expect(lines).toHaveLength(2)
    const fork = new Client('forked', folder)
    await fork.prompt('two')
    const header = eventsOf(fork.root, 'forked')[0]
    expect(header?.payload['previous_session_key']).toBe('source')
    expect(eventsOf(fork.root, 'source').at(-1)?.payload).toMatchObject({ reason: 'forked' })
    fork.user('one')
    fork.reply(text('1'))
    fork.user('two')
    fork.reply(text('2'))
    await fork.stop('2')
    expect(fork.seen).toEqual(['user one', 'assistant 1', 'user two', 'assistant 2'])
  })

  it.for([
    ['', 0],
    [', also among a thousand others', 1000],
  ] as const)(
    'a start takes the last lines of a session that was killed%s',
    async ([, others], t) => {
      const folder = temporaryFolder(t)
      const killed = new Client('killed', folder)
      await killed.prompt('one')
      killed.user('one')
      killed.reply(text('Look.'), call('c1'))
      killed.result('c1', 'found')
      for (let number = 0; number < others; number++) {
        writeFileSync(join(dirname(killed.path), `other-${number}.jsonl`), '{}\n')
      }
      // Its claim belongs to a process that is gone.
      const next = new Client('next', folder)
      const claims = join(killed.root, '.claims')
      for (const name of readdirSync(claims)) {
        const path = join(claims, name)
        writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/"pid":\d+/g, '"pid":2147483646'))
      }
      await next.hook('SessionStart', { source: 'startup' })
      expect(killed.seen).toEqual([
        ...['user one', 'assistant Look.', 'tool_call c1', 'tool_result c1 found'],
      ])
    },
  )
})

describe('smaller things', () => {
  it('a notification of a task is no prompt of the history', async (t) => {
    const client = newClient(t)
    await client.prompt('typed')
    await client.prompt('<task-notification>\n<task-id>a1</task-id></task-notification>')
    const history = rowsIn(join(client.root, 'history.jsonl'))
    expect(JSON.stringify(history)).not.toContain('task-notification')
    expect(client.seen).toHaveLength(2)
  })

  it('an error without a kind has its message', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    const last_assistant_message = 'API Error: 400 bad'
    await client.hook('StopFailure', { error: 'unknown', last_assistant_message })
    const end = eventsOf(client.root, 'demo').at(-1)
    expect(end?.payload['error']).toBe('API Error: 400 bad')
  })

  it('parallel subagents are linked to their calls', async (t) => {
    const client = newClient(t)
    await client.prompt('go')
    client.user('go')
    client.reply(call('c1'), call('c2'))
    await client.hook('PreToolUse', toolFields('c1'))
    const folder = client.path.replace('.jsonl', '/subagents')
    mkdirSync(folder, { recursive: true })
    for (const [agent, toolUseId] of [
      ['a1', 'c1'],
      ['a2', 'c2'],
    ]) {
      writeFileSync(join(folder, `agent-${agent}.meta.json`), JSON.stringify({ toolUseId }))
      const fields = { agent_id: agent, agent_type: 'general' }
      await client.hook('SubagentStart', fields)
      const agent_transcript_path = join(folder, `agent-${agent}.jsonl`)
      const stop = { ...fields, agent_transcript_path, last_assistant_message: 'ok' }
      await client.hook('SubagentStop', stop)
    }
    const links = eventsOf(client.root, 'demo')
      .filter(({ type }) => type.startsWith('subagent_'))
      .map(({ type, payload }) => `${type} ${payload['tool_call_id']}`)
    expect(links).toEqual([
      ...['subagent_spawn c1', 'subagent_result c1', 'subagent_spawn c2', 'subagent_result c2'],
    ])
  })
})
