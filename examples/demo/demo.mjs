// `npm run demo`: a process records a session with tool calls, compacts it twice and is killed with
// SIGKILL in the middle of an append; then the command line verifies and resumes the session.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { readLogSync } from 'jsonl-session/log'

const EVENTS_BEFORE_THE_KILL = 60

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'jsonl-session-demo-'))
const transcript = join(root, '.transcripts', 'demo.jsonl')

step('A process records a session, compacts it twice, and is killed in the middle of an append')
const acknowledged = await recordAndKill()
const found = new Set()
for (const entry of readLogSync(transcript)) if (entry.kind === 'event') found.add(entry.event.uuid)
const lost = acknowledged.filter((uuid) => !found.has(uuid))
console.log(`${acknowledged.length} events were acknowledged, ${lost.length} of them are lost.`)
if (lost.length > 0) process.exitCode = 1

step('Is the log intact?  jsonl-session verify demo')
cli('verify', 'demo')

step('What did the model see?  jsonl-session resume --mode new')
cli('resume', 'demo', '--id', 'demo-2')

step('Continue in the new session:  jsonl-session append demo-2 …')
cli('append', 'demo-2', '--type', 'assistant', '--payload', '{"content":"Back again."}')

step('All sessions:  jsonl-session list --all')
cli('list', '--all')

step('The files')
for (const name of readdirSync(root, { recursive: true }).sort()) console.log(join(root, name))

async function recordAndKill() {
  const writer = spawn(process.execPath, [here('writer.mjs'), root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const uuids = []
  for await (const uuid of createInterface({ input: writer.stdout })) {
    uuids.push(uuid)
    if (uuids.length === EVENTS_BEFORE_THE_KILL) writer.kill('SIGKILL')
  }
  return uuids
}

function cli(...args) {
  const bin = here('../../dist/bin/jsonl-session.cjs')
  try {
    execFileSync(process.execPath, [bin, ...args, '--root', root], { stdio: 'inherit' })
  } catch (error) {
    // 1 is an answer (findings: the unfinished line), not a failure.
    if (error.status !== 1) throw error
  }
}

function step(title) {
  console.log(`\n== ${title}\n`)
}
