// The events of Codex 0.166.0, as the released client reported them on a fake model.

import { expect, test } from 'vitest'
import { temporaryFolder } from '../../helpers/temporary.js'
import { bytesOf, eventsOf, type Fields, tell } from '../telling.js'

const BASE = {
  session_id: '01a1ed52-e3a9',
  transcript_path: '/home/ada/.codex/sessions/2026/11/18/rollout-01a1ed52-e3a9.jsonl',
  cwd: '/work/app',
  model: 'gpt-5',
  permission_mode: 'bypassPermissions',
}
const TOOL = { tool_name: 'Bash', tool_input: { command: 'echo hi' }, tool_use_id: 'call_2' }

test('a turn is recorded once, with the id of the turn and without the permission mode', async (t) => {
  const root = temporaryFolder(t)
  const report = (hook_event_name: string, fields: Fields = {}) =>
    tell({ ...BASE, turn_id: 'turn-1', hook_event_name, ...fields }, { root, client: 'codex' })
  await report('SessionStart', { source: 'startup', turn_id: undefined })
  for (const _ of [1, 2]) {
    await report('UserPromptSubmit', { prompt: 'say hi' })
    await report('PreToolUse', TOOL)
    await report('PostToolUse', { ...TOOL, tool_response: 'hi\n' })
    await report('Stop', { stop_hook_active: false, last_assistant_message: 'Done.' })
  }
  await report('Interrupt')
  await report('SessionEnd', { reason: 'other', turn_id: undefined })
  const [header, ...events] = eventsOf(root, BASE.session_id)
  expect(header!.payload).toMatchObject({ harness: 'codex', project: '/work/app' })
  expect(events.filter(({ type }) => type !== 'checkpoint')).toMatchObject([
    { type: 'user', payload: { content: 'say hi', prompt_id: 'turn-1' } },
    { type: 'tool_call', payload: { tool_call_id: 'call_2', name: 'Bash' } },
    { type: 'tool_result', payload: { tool_call_id: 'call_2', content: 'hi\n' } },
    { type: 'assistant', payload: { content: 'Done.' } },
    { type: 'turn_end', payload: { prompt_id: 'turn-1' } },
    { type: 'session_terminator' },
  ])
  expect([...bytesOf(root).values()].join('')).not.toMatch(/bypassPermissions|permission_mode/)
})

test('a client that is not known is reported, and nothing is recorded', async (t) => {
  const root = temporaryFolder(t)
  const event = { ...BASE, hook_event_name: 'UserPromptSubmit', prompt: 'x' }
  const { words, answer } = await tell(event, { root, client: 'other' })
  expect(words).toBe('ERR_ARG: Nothing recorded: --for names an unknown client, "other"')
  expect(answer.inject).toBe('')
  expect(bytesOf(root).size).toBe(0)
})
