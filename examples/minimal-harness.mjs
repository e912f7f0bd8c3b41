// A harness in one loop: read a prompt, call the model, run its tools, record every step.
// Replace `callModel` with your provider's client.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from 'jsonl-session'

const root = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'jsonl-session-'))
const store = openStore({ root, home: root })
const session = await store.createSession({ project: process.cwd(), harness: 'minimal' })

for (const prompt of ['What time is it?', 'Thank you.']) {
  // A `user` event in the transcript, and a line of the prompt history.
  await session.prompt(prompt)
  await runTurn()
}

await session.close()
console.log(`${session.messages().messages.length} messages in ${session.path}`)
console.log(`history: ${(await store.history.recall({ limit: 1 }))[0].prompt}`)

/** One turn: the model is called until it answers without a tool. */
async function runTurn() {
  for (;;) {
    // What the model sees: boundaries applied, every tool call paired with a result.
    const { messages } = session.messages()
    const reply = await callModel(messages)
    if (reply.tool === undefined) {
      await session.append({ type: 'assistant', payload: { content: reply.text } })
      return
    }
    // The call is on disk before the tool runs, so that a crash in between is visible later.
    const call = { tool_call_id: reply.id, name: reply.tool, input: {} }
    await session.append({ type: 'tool_call', payload: call })
    const content = new Date(0).toISOString()
    const result = { tool_call_id: reply.id, content, is_error: false }
    await session.append({ type: 'tool_result', payload: result })
  }
}

/** In place of a model: it asks for the clock once, then answers. */
async function callModel(messages) {
  const last = messages.at(-1)
  if (last.type === 'tool_result') return { text: `It is ${last.payload.content}.` }
  const question = JSON.stringify(last.payload)
  return question.includes('time') ? { tool: 'clock', id: 'call-1' } : { text: 'You are welcome.' }
}
