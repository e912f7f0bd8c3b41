// A subagent has a log of its own. Its parent records that it was started and how it ended; the model
// of the parent sees only the summary.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from 'jsonl-session'

const root = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'jsonl-session-'))
const store = openStore({ root, home: root })
// `handleSignals` also ends open subagents when this process gets SIGINT or SIGTERM.
const session = await store.createSession({ id: 'parent', handleSignals: true })
await session.prompt('Test and lint the project.')

// In this process.
const tests = await session.spawn({ taskId: 'tests', prompt: 'Run the tests.' })
await tests.append({ type: 'assistant', payload: { content: 'Running 12 tests…' } })
await tests.finish({ status: 'completed', summary: 'All 12 tests pass.' })

// In another process: send it the task, and send back what `finish` returns.
const task = await session.delegate({ taskId: 'lint', prompt: 'Run the linter.' })
const lint = await store.sidechains.open(task)
const report = await lint.finish({ status: 'timeout' })
const merged = await session.mergeResult(report)
console.log(`lint: ${merged.errors.join(', ')}`)

console.log('the parent sees:')
for (const { type, payload } of session.messages().messages) {
  console.log(`  ${type}: ${JSON.stringify(payload).slice(0, 90)}`)
}
await session.close()

const { sidechains } = store.sidechains.list({ session: 'parent' })
console.log(`their logs: ${sidechains.map(({ status }) => status).join(', ')}`)
