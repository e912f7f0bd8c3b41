// A process is killed with SIGKILL while a tool runs. Every acknowledged event is in the log, and the
// resumed session reports the tool call that has no result.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStore } from 'jsonl-session'

const isWriter = process.argv[3] === 'writer'
const root = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'jsonl-session-'))
const store = openStore({ root, home: root })
await (isWriter ? write() : killAndResume())

/** The process that will not survive. */
async function write() {
  const session = await store.createSession({ id: 'work', project: root })
  await session.prompt('Run the migration.')
  const payload = { tool_call_id: 'call-1', name: 'bash', input: { command: 'migrate' } }
  await session.append({ type: 'tool_call', payload })
  process.stdout.write('tool started\n')
  // The tool runs "forever": the log keeps growing until the process is killed.
  for (;;) await session.append({ type: 'tool_output', payload: { text: 'row '.repeat(5000) } })
}

async function killAndResume() {
  const writer = spawn(process.execPath, [fileURLToPath(import.meta.url), root, 'writer'])
  await once(writer.stdout, 'data')
  writer.kill('SIGKILL')
  await once(writer, 'close')

  // A new session that names its parent. Use `mode: 'append'` to continue in the same file.
  const { session, messages, interruption } = await store.resumeSession({ id: 'work' })
  console.log(`messages: ${messages.map(({ type }) => type).join(', ')}`)
  console.log(`interrupted: ${interruption.kind}`)
  // The library never runs a tool again. The harness decides.
  await session.prompt('Was the migration finished? Check before you run it again.')
  await session.close()

  const report = await store.maintenance.verify(join(root, '.transcripts', 'work.jsonl'))
  const damage = report.findings.map(({ code }) => code)
  console.log(`${report.events} events are intact; findings: ${damage.join(', ') || 'none'}`)
}
