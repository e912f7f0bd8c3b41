// A small agent session, recorded by a process that is killed before it can close it. It prints the
// uuid of every acknowledged event, so that its parent can count them.

import { openStore } from 'jsonl-session'

const [root] = process.argv.slice(2)
const store = openStore({ root, home: root })
const session = await store.createSession({ id: 'demo', project: root, harness: 'demo' })
session.onAppend((_, { uuid }) => process.stdout.write(`${uuid}\n`))

async function turn(number, question, answer) {
  await session.append({ type: 'user', payload: { content: question } })
  const id = `call-${number}`
  const input = { pattern: `config.key.${number}` }
  await session.append({ type: 'tool_call', payload: { tool_call_id: id, name: 'grep', input } })
  const content = `src/app-${number}.ts:12`
  const result = { tool_call_id: id, content, is_error: false }
  await session.append({ type: 'tool_result', payload: result })
  return session.append({ type: 'assistant', payload: { content: answer } })
}

await turn(1, 'Where is the config key read?', 'In app-1.ts, line 12.')
const second = await turn(2, 'And where is it written?', 'In app-2.ts, line 12.')
await session.compact({
  summary: 'The user is renaming a config key. It is read in app-1.ts:12.',
  keepFrom: second.uuid,
})
const third = await turn(3, 'Rename it in both.', 'Done, in two files.')
await session.compact({
  summary: 'The config key was renamed in app-1.ts and app-2.ts. Tests are next.',
  keepFrom: third.uuid,
})
await session.append({ type: 'user', payload: { content: 'Now run the tests.' } })
const input = { command: 'npm test' }
await session.append({
  type: 'tool_call',
  payload: { tool_call_id: 'call-4', name: 'bash', input, idempotent: true },
})

// The tool prints until the process is killed.
for (;;) {
  await session.append({ type: 'tool_output', payload: { text: 'ok '.repeat(40_000) } })
}
