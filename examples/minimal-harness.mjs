// A harness in one loop: read a prompt, call the model, run its tools, record every step. Started again
// with the same folder it continues where it was, also after a crash.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, toAnthropic } from 'jsonl-session'

const root = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'jsonl-session-'))
const store = openStore({ root, home: root })
const session = await store.openSession('chat', { create: true, project: process.cwd() })

for (const prompt of ['What time is it?', 'Thank you.']) {
  await session.prompt(prompt) // a `user` event, and a line of the prompt history
  for (let calls = await reply(); calls.length > 0; calls = await reply()) {
    for (const { id, name } of calls) {
      const result = { tool_call_id: id, name, content: new Date(0).toISOString(), is_error: false }
      await session.append({ type: 'tool_result', payload: result })
    }
  }
}
await session.close()
console.log(`${session.messages().messages.length} messages in ${session.path}`)
console.log(`history: ${(await store.history.recall({ limit: 1 }))[0].prompt}`)

/** Records the reply before any tool runs, so that a crash in between is visible later. */
async function reply() {
  const { content, usage } = await callModel(toAnthropic(session.messages().messages))
  await session.append({ type: 'assistant', payload: { content, usage } })
  return content.filter(({ type }) => type === 'tool_use')
}

/** In place of `client.messages.create({ model, max_tokens, tools, ...request })`. */
async function callModel({ messages }) {
  const [block] = messages.at(-1).content
  const clock = { type: 'tool_use', id: `call-${messages.length}`, name: 'clock', input: {} }
  const said = block.type === 'tool_result' ? 'It is 1970.' : 'You are welcome.'
  const content = block.text?.includes('time') ? [clock] : [{ type: 'text', text: said }]
  return { content, usage: { input_tokens: 10, output_tokens: 5 } }
}
