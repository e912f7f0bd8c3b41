// The events of Gemini CLI 0.61.0, as the released client reported them on a fake model.

import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { temporaryFolder } from '../../helpers/temporary.js'
import { eventsOf, type Fields, tell } from '../telling.js'

const SHELL = { command: 'echo hi', description: 'run it' }
const RESULT = '<untrusted_context>\nOutput: hi\nProcess Group PGID: 22123\n</untrusted_context>'

/** A session with its chat file, which the client writes before it calls a hook. */
function startChat(t: TestContext, session_id = 'd682a2b9') {
  const root = temporaryFolder(t)
  const chat = join(root, `${session_id}.chat.jsonl`)
  writeFileSync(chat, '{"sessionId":"d682a2b9","kind":"main"}\n')
  let messages = 0
  const write = (content: string, more: Fields = {}) => {
    const line = { id: `message-${++messages}`, type: 'gemini', content, ...more }
    appendFileSync(chat, `${JSON.stringify(line)}\n{"$set":{"lastUpdated":"2026-11-18"}}\n`)
  }
  const report = (hook_event_name: string, fields: Fields = {}, env = {}) =>
    tell(
      { session_id, transcript_path: chat, cwd: '/work/app', hook_event_name, ...fields },
      { root, client: 'gemini', env },
    )
  const call = (fields: Fields = {}) =>
    report('BeforeTool', { tool_name: 'run_shell_command', tool_input: SHELL, ...fields })
  const result = (tool_response: unknown = { llmContent: RESULT, returnDisplay: 'hi' }) =>
    report('AfterTool', { tool_name: 'run_shell_command', tool_input: SHELL, tool_response })
  const recorded = () =>
    eventsOf(root, session_id).map(({ type, payload }) => ({ type, ...payload }) as Fields)
  const messagesOf = (type: string) => recorded().filter((event) => event['type'] === type)
  return { root, chat, write, report, call, result, recorded, messagesOf }
}

test('a turn with a call is recorded once: prompt, text, call, result, reply, end', async (t) => {
  const { root, write, report, call, result, recorded } = startChat(t)
  const env = { GEMINI_PROJECT_DIR: '/work/app', CLAUDE_PROJECT_DIR: '/work/other' }
  await report('SessionStart', { source: 'startup' }, env)
  const prompt = '<hook_context>## Recovery &lt;b&gt;</hook_context>\n\nsay hi'
  for (const copy of [1, 2]) await report('BeforeAgent', { prompt, copy })
  write('I say it.')
  for (const copy of [1, 2]) await call({ copy })
  for (const _ of [1, 2]) await result()
  write('Done.')
  // The client repeats the second half of a reply that came in two pieces.
  const stop = { prompt, prompt_response: 'I say it.it. \nDone.ne.', stop_hook_active: false }
  for (const copy of [1, 2]) await report('AfterAgent', { ...stop, copy })
  await report('SessionEnd', { reason: 'exit' })
  const events = recorded()
  expect(events[0]).toMatchObject({ harness: 'gemini', project: '/work/app' })
  const id = events.find(({ type }) => type === 'tool_call')!['tool_call_id']
  expect(events.slice(1).filter(({ type }) => type !== 'checkpoint')).toMatchObject([
    { type: 'user', content: 'say hi' },
    { type: 'assistant', content: 'I say it.' },
    { type: 'tool_call', name: 'run_shell_command', input: SHELL },
    { type: 'tool_result', tool_call_id: id, content: RESULT, is_error: false },
    { type: 'assistant', content: 'Done.' },
    { type: 'turn_end' },
    { type: 'session_terminator', reason: 'exit' },
  ])
  expect(JSON.stringify(eventsOf(root, 'd682a2b9'))).not.toContain('hook_context')
})

test('equal calls of two messages are two calls, each with its result', async (t) => {
  const { write, report, call, result, messagesOf } = startChat(t)
  await report('BeforeAgent', { prompt: 'twice' })
  for (const _ of [1, 2]) {
    write('')
    await call()
    await result()
  }
  const ids = messagesOf('tool_call').map(({ tool_call_id }) => tool_call_id)
  expect(new Set(ids).size).toBe(2)
  expect(messagesOf('tool_result').map(({ tool_call_id }) => tool_call_id)).toEqual(ids)
  expect(messagesOf('assistant'), 'messages without a text').toEqual([])
})

test('a result with an error is an error, with the text that the model reads', async (t) => {
  const { write, report, call, result, messagesOf } = startChat(t)
  await report('BeforeAgent', { prompt: 'read' })
  write('')
  await call()
  const error = { message: 'File not found: /work/app/no.txt', type: 'file_not_found' }
  await result({ llmContent: 'Could not read file.', returnDisplay: 'File not found.', error })
  expect(messagesOf('tool_result')).toMatchObject([
    { content: 'Could not read file.', is_error: true },
  ])
})

test('a result of several texts is one text, and one with a picture stays as it is', async (t) => {
  const { write, report, call, result, messagesOf } = startChat(t)
  const picture = [{ text: 'a pixel' }, { inlineData: { mimeType: 'image/png', data: 'iVBO' } }]
  await report('BeforeAgent', { prompt: 'look' })
  for (const llmContent of [[{ text: 'one' }, { text: 'two' }], { text: 'three' }, picture]) {
    write('')
    await call()
    await result({ llmContent })
  }
  const contents = messagesOf('tool_result').map(({ content }) => content)
  expect(contents).toEqual(['one\ntwo', 'three', picture])
})

test('without a chat file the log has what the hooks report', async (t) => {
  const { root, report, call, result, messagesOf } = startChat(t)
  const nowhere = { transcript_path: join(root, 'none.jsonl') }
  await report('BeforeAgent', { prompt: 'go', ...nowhere })
  await call(nowhere)
  await result('plain')
  await report('AfterAgent', { prompt_response: 'Gone.', transcript_path: 'relative.jsonl' })
  expect(messagesOf('tool_result')).toMatchObject([{ content: 'plain' }])
  expect(messagesOf('tool_call')[0]!['tool_call_id']).toBe(
    messagesOf('tool_result')[0]!['tool_call_id'],
  )
  expect(messagesOf('assistant')).toMatchObject([{ content: 'Gone.' }])
})

test('a turn whose last message has calls ends without a reply, and a damaged line is skipped', async (t) => {
  const { chat, write, report, messagesOf } = startChat(t)
  await report('BeforeAgent', { prompt: 'go' })
  write('Working.', { toolCalls: [{ id: 'run__1' }] })
  appendFileSync(chat, '{"id":"half')
  await report('AfterAgent', { prompt_response: 'Working.' })
  expect(messagesOf('assistant')).toEqual([])
  expect(messagesOf('turn_end')).toHaveLength(1)
})

test('the next session is given what a killed one did; other events record nothing', async (t) => {
  const { root, write, report, call } = startChat(t)
  await report('SessionStart', { source: 'startup' })
  await report('BeforeAgent', { prompt: 'remember the heron' })
  write('')
  await call()
  await report('PreCompress', { trigger: 'auto' })
  const before = eventsOf(root, 'd682a2b9').length
  // The claim names this process, which lives.
  rmSync(join(root, '.claims'), { recursive: true })
  const next = { session_id: 'next', cwd: '/work/app', hook_event_name: 'SessionStart' }
  const { stdout } = await tell({ ...next, source: 'startup' }, { root, client: 'gemini' })
  const { hookEventName, additionalContext } = JSON.parse(stdout).hookSpecificOutput
  expect(hookEventName).toBe('SessionStart')
  expect(additionalContext).toContain('remember the heron')
  expect(eventsOf(root, 'd682a2b9')).toHaveLength(before)
})
