// The same conversation in the files of pi, for its own session manager to open: as many
// compactions, as much that is live.

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf, textOf } from './events.mjs'
import { loadPi, NotInstalled } from './peers.mjs'

const COMPACTIONS = 20
const LIVE_BYTES = 2_000_000
const MESSAGE_CHARS = 3000
const SOURCE_CHARS = 1024 * 1024
const BATCH = 64
const TIMESTAMP = '2026-01-01T00:00:00.000Z'

/** Without the package they could not be opened, so none are created. */
export async function makePiSessions({ folder, sessions, messageChars = MESSAGE_CHARS }) {
  try {
    await loadPi()
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error
    return { skipped: error.message }
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const random = randomOf(8)
  const source = textOf(SOURCE_CHARS, random)
  for (const { id, bytes, copies = 1 } of sessions) {
    for (let copy = 0; copy < copies; copy++) {
      const name = copies === 1 ? id : `${id}${copy}`
      makeFile(join(folder, `${name}.jsonl`), { id: name, bytes, source, random, messageChars })
    }
  }
  return {}
}

function makeFile(path, { id, bytes, source, random, messageChars }) {
  const fd = openSync(path, 'wx', 0o600)
  let size = 0
  let number = 0
  const idOf = (at) => at.toString(16).padStart(8, '0')
  const lineOf = (entry) => {
    const parentId = number === 0 ? null : idOf(number)
    return `${JSON.stringify({ ...entry, id: idOf(++number), parentId, timestamp: TIMESTAMP })}\n`
  }
  const write = (text) => {
    size += writeSync(fd, text)
  }
  const message = () => {
    const start = Math.floor(random() * (SOURCE_CHARS - messageChars))
    const content = [{ type: 'text', text: source.slice(start, start + messageChars) }]
    return lineOf({ type: 'message', message: { role: 'assistant', content, timestamp: 0 } })
  }
  const fill = () => write(Array.from({ length: BATCH }, message).join(''))
  const header = { type: 'session', version: 3, id, timestamp: TIMESTAMP, cwd: '/work' }
  write(`${JSON.stringify(header)}\n`)
  const covered = (bytes - LIVE_BYTES) / COMPACTIONS
  for (let round = 1; covered > 0 && round <= COMPACTIONS; round++) {
    while (size < covered * round) fill()
    const firstKeptEntryId = idOf(number - 4)
    const summary = source.slice(0, 4000)
    write(lineOf({ type: 'compaction', summary, firstKeptEntryId, tokensBefore: 100_000 }))
  }
  while (size < bytes) {
    if (covered > 0) fill()
    else write(message())
  }
  closeSync(fd)
}
