// The plugin of OpenCode, called as OpenCode 1.18.33 calls it, with a command that keeps what it reads.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, type TestContext, test } from 'vitest'
import { writePlugin } from '../../../lib/hooks/clients/opencode-plugin.js'
import {
  findSettingsPath,
  installHooks,
  readHooksStatus,
  uninstallHooks,
} from '../../../lib/hooks/settings.js'
import { openContext } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { eventsOf, type Fields, tell } from '../telling.js'

const RECORDER = `
import { appendFileSync, readFileSync } from 'node:fs'
const input = readFileSync(0, 'utf8')
appendFileSync(new URL('reported.jsonl', import.meta.url), input + '\\n')
const { hook_event_name } = JSON.parse(input)
const hookSpecificOutput = { hookEventName: hook_event_name, additionalContext: 'From before.' }
if (hook_event_name === 'SessionStart') console.log(JSON.stringify({ hookSpecificOutput }))
`

type Hook = (input: unknown, output?: unknown) => Promise<void>
type Plugin = (context: { directory: string }) => Promise<Record<string, Hook>>

async function loadPlugin(t: TestContext, program?: string) {
  const folder = temporaryFolder(t)
  const recorder = join(folder, 'jsonl-session.mjs')
  writeFileSync(recorder, RECORDER)
  const path = join(folder, 'plugin.mjs')
  const node = process.execPath
  writeFileSync(path, writePlugin({ form: 'args', node, program: program ?? recorder }))
  const listeners = new Set(process.listeners('exit'))
  const { JsonlSession } = (await import(pathToFileURL(path).href)) as { JsonlSession: Plugin }
  const hooks = await JsonlSession({ directory: folder })
  // What the plugin does when OpenCode exits; this process must not do it.
  const atExit = process.listeners('exit').filter((listener) => !listeners.has(listener))
  for (const listener of atExit) process.removeListener('exit', listener)
  const file = join(folder, 'reported.jsonl')
  const reported = () =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Fields)
      : []
  const event = (type: string, properties: unknown) =>
    hooks['event']!({ event: { type, properties } })
  return {
    hooks,
    event,
    reported,
    exit() {
      for (const listener of atExit) listener.call(process, 0)
    },
  }
}

const ID = 'ses_1'
const TEXT = { type: 'text', sessionID: ID, messageID: 'msg_2', id: 'prt_2' }
const TOOL = { tool: 'bash', sessionID: ID, callID: 'call_1' }

test('a turn is reported in order, with the text before a call, and its end at once', async (t) => {
  const { hooks, event, reported, exit } = await loadPlugin(t)
  await event('session.created', { info: { id: ID } })
  const parts: Fields[] = [{ type: 'text', text: 'say hi', id: 'prt_1' }]
  const message = { id: 'msg_1', role: 'user' }
  await hooks['chat.message']!({ sessionID: ID }, { message, parts })
  expect(parts.at(-1)).toMatchObject({ type: 'text', text: 'From before.', synthetic: true })
  await event('message.updated', { info: { id: 'msg_2', role: 'assistant', sessionID: ID } })
  await event('message.part.updated', { part: { ...TEXT, text: '' } })
  const delta = { sessionID: ID, messageID: 'msg_2', partID: 'prt_2', field: 'text' }
  await event('message.part.delta', { ...delta, delta: 'I look.' })
  await hooks['tool.execute.before']!(TOOL, { args: { command: 'ls' } })
  await hooks['tool.execute.after']!({ ...TOOL, args: { command: 'ls' } }, { output: 'a.txt' })
  await event('message.updated', { info: { id: 'msg_3', role: 'assistant', sessionID: ID } })
  const done = { ...TEXT, messageID: 'msg_3', id: 'prt_3', text: 'Done.' }
  await event('message.part.updated', { part: done })
  await event('session.idle', { sessionID: ID })
  exit()
  const call = { tool_name: 'bash', tool_use_id: 'call_1', tool_input: { command: 'ls' } }
  expect(reported()).toMatchObject([
    { hook_event_name: 'SessionStart', session_id: ID, source: 'startup' },
    { hook_event_name: 'UserPromptSubmit', prompt: 'say hi', prompt_id: 'msg_1' },
    { hook_event_name: 'PreToolUse', ...call, preceding_message: 'I look.' },
    { hook_event_name: 'PostToolUse', ...call, tool_response: 'a.txt' },
    { hook_event_name: 'Stop', last_assistant_message: 'Done.' },
    { hook_event_name: 'SessionEnd', reason: 'exit' },
  ])
})

test('a subagent and a compaction are reported as such, and a later start knows of the compaction', async (t) => {
  const { hooks, event, reported } = await loadPlugin(t)
  const prompt = (id: string) => ({ message: { id }, parts: [{ type: 'text', text: id }] })
  await hooks['chat.message']!({ sessionID: ID }, prompt('one'))
  await event('session.created', { info: { id: 'ses_2', parentID: ID } })
  await hooks['tool.execute.before']!({ ...TOOL, sessionID: 'ses_2' }, { args: {} })
  await event('session.idle', { sessionID: 'ses_2' })
  await hooks['experimental.session.compacting']!({ sessionID: ID })
  const info = { id: 'msg_9', role: 'assistant', sessionID: ID, summary: true }
  await event('message.updated', { info })
  await event('message.part.updated', { part: { ...TEXT, messageID: 'msg_9', text: 'In short.' } })
  await event('session.compacted', { sessionID: ID })
  await hooks['chat.message']!({ sessionID: ID }, prompt('two'))
  const inside = { session_id: ID, agent_id: 'ses_2' }
  expect(reported()).toMatchObject([
    { hook_event_name: 'SessionStart', source: 'resume' },
    { hook_event_name: 'UserPromptSubmit', prompt: 'one' },
    { hook_event_name: 'SubagentStart', ...inside },
    { hook_event_name: 'PreToolUse', ...inside },
    { hook_event_name: 'SubagentStop', ...inside },
    { hook_event_name: 'PreCompact', session_id: ID },
    { hook_event_name: 'PostCompact', compact_summary: 'In short.' },
    { hook_event_name: 'SessionStart', source: 'compact' },
    { hook_event_name: 'UserPromptSubmit', prompt: 'two' },
  ])
})

test('a command that is missing, and events of another shape, do not fail OpenCode', async (t) => {
  const { hooks, event } = await loadPlugin(t, '/nowhere/jsonl-session.mjs')
  const parts: Fields[] = [{ type: 'text', text: 'hi' }]
  await hooks['chat.message']!({ sessionID: ID }, { message: { id: 'm' }, parts })
  expect(parts).toHaveLength(1)
  await event('session.created', undefined)
  await event('message.part.updated', {})
  await hooks['tool.execute.after']!(TOOL, undefined)
})

test('the plugin is installed, found and removed, and a file of another program stays', (t) => {
  const folder = temporaryFolder(t)
  const place = { cwd: '/app', home: '/home/ada', env: {} }
  const file = 'plugins/jsonl-session.js'
  expect(findSettingsPath('opencode', 'user', place)).toBe(`/home/ada/.config/opencode/${file}`)
  expect(findSettingsPath('opencode', 'project', place)).toBe(`/app/.opencode/${file}`)
  const path = join(folder, 'jsonl-session.js')
  const call = { form: 'args', node: process.execPath, program: '/opt/jsonl-session' } as const
  const status = () => readHooksStatus(openContext(), path, '', 'opencode')
  expect(status()).toMatchObject({ exists: false, complete: false })
  installHooks(openContext(), path, call, 'opencode').apply()
  expect(status().events.every(({ installed }) => installed)).toBe(true)
  expect(installHooks(openContext(), path, call, 'opencode').changed).toBe(false)
  uninstallHooks(openContext(), path, 'opencode').apply()
  expect(existsSync(path)).toBe(false)
  writeFileSync(path, 'export const Mine = async () => ({})\n')
  expect(() => installHooks(openContext(), path, call, 'opencode')).toThrow(/another program/)
  expect(uninstallHooks(openContext(), path, 'opencode').changed).toBe(false)
  expect(status().events.some(({ installed }) => installed)).toBe(false)
})

test('what the plugin reports is recorded, the text before a call once', async (t) => {
  const root = temporaryFolder(t)
  const report = (hook_event_name: string, fields: Fields = {}) =>
    tell({ hook_event_name, session_id: ID, ...fields }, { root, client: 'opencode' })
  const call = { tool_name: 'bash', tool_use_id: 'call_1', tool_input: { command: 'ls' } }
  await report('SessionStart', { source: 'startup' })
  await report('UserPromptSubmit', { prompt: 'say hi', prompt_id: 'msg_1' })
  const before = { preceding_message: 'I look.', preceding_message_id: 'msg_2' }
  await report('PreToolUse', { ...call, ...before })
  await report('PreToolUse', { ...call, tool_use_id: 'call_2', ...before })
  await report('PostToolUse', { ...call, tool_response: 'a.txt' })
  await report('Stop', { last_assistant_message: 'Done.' })
  const [header, ...events] = eventsOf(root, ID)
  expect(header!.payload).toMatchObject({ harness: 'opencode' })
  expect(events.map(({ type }) => type)).toEqual([
    ...['user', 'assistant', 'tool_call', 'tool_call', 'tool_result', 'assistant', 'turn_end'],
  ])
})
