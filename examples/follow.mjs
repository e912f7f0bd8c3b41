// Follows the sessions of a store while another process writes them: for a dashboard, a sync job or a
// terminal. Readers take no lock and cannot disturb the writer.

import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStore } from 'jsonl-session'

const isWriter = process.argv[3] === 'writer'
const root = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'jsonl-session-'))
const store = openStore({ root, home: root })
await (isWriter ? write() : follow())

async function write() {
  const session = await store.createSession({ id: 'live', project: root })
  for (const content of ['one', 'two', 'three']) {
    await session.append({ type: 'assistant', payload: { content } })
  }
  await session.close()
}

async function follow() {
  const stop = new AbortController()
  const entries = store.tailSessions({ all: true, follow: true, pollMs: 100, signal: stop.signal })
  spawn(process.execPath, [fileURLToPath(import.meta.url), root, 'writer'], { stdio: 'inherit' })
  let cursor
  for await (const entry of entries) {
    // `damage` and `torn` entries are values too; this program only prints events.
    if (entry.kind !== 'event') continue
    const { type, payload } = entry.event
    console.log(type, type === 'assistant' ? payload.content : '')
    // Store the cursor, and a later process continues exactly here.
    cursor = entry.cursor
    if (type === 'session_terminator') stop.abort()
  }
  let missed = 0
  for await (const _ of store.tailSessions({ all: true, cursor })) missed++
  console.log(`new since the cursor: ${missed}`)
}
