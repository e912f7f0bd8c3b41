// A context of 2,000 tokens that is compacted whenever it is nearly full. The summary comes from a
// model on this machine (Ollama); without a server it is extracted from the messages.
//
//   OLLAMA_URL=http://127.0.0.1:11434 OLLAMA_MODEL=qwen2.5:7b node examples/compaction.mjs

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCompactor, openStore } from 'jsonl-session'
import { extractive, ollama } from 'jsonl-session/summarizers'

const { OLLAMA_URL: url, OLLAMA_MODEL: model = 'qwen2.5:7b' } = process.env
const root = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'jsonl-session-'))
const session = await openStore({ root, home: root }).createSession({ project: root })

const compactor = createCompactor(session, {
  maxTokens: 2000,
  reserveTokens: 500,
  keepPercent: 30,
  // Asked in this order. The last one needs no model and cannot fail.
  summarizers: [ollama({ model, url }), extractive()],
  onCompacted: ({ tokensBefore, tokensAfter }) =>
    console.log(`compacted: ${tokensBefore} -> ${tokensAfter} tokens`),
})

for (let turn = 1; turn <= 10; turn++) {
  await session.prompt(`Step ${turn}: ${'Look at the next file. '.repeat(40)}`)
  // Compacts if it is due, and waits for it only if the context would not fit otherwise.
  await compactor.beforeModelCall()
  const { messages } = session.messages()
  const content = `Step ${turn} is done; I saw ${messages.length} messages.`
  await session.append({ type: 'assistant', payload: { content } })
  compactor.afterModelCall()
}

const { messages } = session.messages()
const summary = messages.find(({ type }) => type === 'summary')
console.log(`the model sees ${messages.length} messages, first: ${messages[0].type}`)
console.log(`summary: ${JSON.stringify(summary.payload).slice(0, 70)}`)
// Nothing was removed from the log.
let prompts = 0
for await (const entry of session.raw()) {
  if (entry.kind === 'event' && entry.event.type === 'user') prompts++
}
console.log(`the log still has ${prompts} prompts`)
await session.close()
