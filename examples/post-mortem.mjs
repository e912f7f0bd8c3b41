// What went wrong in a store? Lists the tool calls that failed, with the place of each, and checks
// every transcript. Without a folder it records a session with a failure first.
//
//   node examples/post-mortem.mjs ~/.jsonl-session

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { openStore } from 'jsonl-session'

const root = process.argv[2] ?? (await recordFailure())
const store = openStore({ root, home: root })

const { total, tools } = await store.maintenance.stats()
console.log(`${total.sessions} sessions, ${total.events} events`)
for (const { name, calls, errors } of tools)
  console.log(`  ${name}: ${calls} calls, ${errors} errors`)

console.log('failed tool calls:')
for await (const hit of store.grep({ pattern: '', errors: true })) {
  console.log(`  ${basename(hit.path)}: ${hit.snippet}`)
}

// Line by line: checksums, links, payloads.
for (const { path } of store.listSessions({ all: true }).sessions) {
  const { events, findings } = await store.maintenance.verify(path)
  console.log(`${basename(path)}: ${events} events, ${findings.length} findings`)
}

/** A session in which a tool fails. */
async function recordFailure() {
  const folder = mkdtempSync(join(tmpdir(), 'jsonl-session-'))
  const session = await openStore({ root: folder, home: folder }).createSession({ id: 'failure' })
  await session.prompt('Deploy it.')
  const call = { tool_call_id: 'call-1', name: 'bash', input: { command: 'deploy' } }
  await session.append({ type: 'tool_call', payload: call })
  const result = { tool_call_id: 'call-1', content: 'Permission denied', is_error: true }
  await session.append({ type: 'tool_result', payload: result })
  await session.close()
  return folder
}
