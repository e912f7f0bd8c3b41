// Sessions to resume, and the ways to do it, each in a process that has done nothing else.

import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf, textOf } from './events.mjs'
import { indexUuids, loadSessions } from './library.mjs'
import { loadPi } from './peers.mjs'
import { peakBytes } from './read-tasks.mjs'

const COMPACTIONS = 20
const LIVE_BYTES = 2_000_000
const SOURCE_CHARS = 1024 * 1024
const MESSAGE_CHARS = 3000
const BATCH = 64

export async function makeSessions({ root, sessions }) {
  const { createSession } = await loadSessions()
  const random = randomOf(5)
  const source = textOf(SOURCE_CHARS, random)
  const message = () => {
    const start = Math.floor(random() * (SOURCE_CHARS - MESSAGE_CHARS))
    return { type: 'assistant', payload: { content: source.slice(start, start + MESSAGE_CHARS) } }
  }
  for (const { id, bytes, keepsPrefix = false, isDamaged = false } of sessions) {
    const session = await createSession({ root, id, durability: 'none' })
    const covered = (bytes - LIVE_BYTES) / COMPACTIONS
    const [first] = await fill(session, message)
    for (let round = 1; round <= COMPACTIONS; round++) {
      let last
      while (session.size < covered * round) last = (await fill(session, message)).at(-5)
      const kept = keepsPrefix
        ? { keepUpTo: first.uuid, coverTo: last.uuid }
        : { keepFrom: last.uuid }
      await session.compact({ summary: source.slice(0, 4000), ...kept })
    }
    while (session.size < bytes) await fill(session, message)
    await session.close()
    if (isDamaged) damage(session.path, bytes - LIVE_BYTES / 2)
  }
}

/** Another letter in the text of a message near that place. */
function damage(path, near) {
  const fd = openSync(path, 'r+')
  const bytes = Buffer.alloc(4 * MESSAGE_CHARS)
  readSync(fd, bytes, 0, bytes.length, near)
  const at = bytes.indexOf('"content":"', bytes.indexOf(10)) + 100
  writeSync(fd, bytes[at] === 0x78 ? 'y' : 'x', near + at)
  closeSync(fd)
}

function fill(session, message) {
  return session.appendAll(Array.from({ length: BATCH }, message))
}

const WAYS = {
  async ours(root, id) {
    const { resumeSession } = await loadSessions()
    return async () => (await resumeSession({ root, id, mode: 'inspect' })).messages.length
  },
  // Ready to continue, with every message known and checked; no payload is parsed before it is asked for.
  async lazy(root, id) {
    const { resumeSession } = await loadSessions()
    return async () => {
      const { readFrom, resumedFrom } = await resumeSession({ root, id, mode: 'inspect' })
      // It may have read from the first byte on.
      return resumedFrom.tipUuid === null ? 0 : readFrom + 1
    }
  },
  // What most harnesses do: the whole file as one string, split, parsed, and then filtered.
  'read-all': async (root, id) => () => {
    const lines = readFileSync(join(root, '.transcripts', `${id}.jsonl`), 'utf8').split('\n')
    const events = lines.filter((line) => line !== '').map((line) => JSON.parse(line))
    return events.filter(({ type }) => type === 'assistant').length
  },
  // Type, uuid and offset of every line.
  scan: async (root, id) => () => indexUuids(join(root, '.transcripts', `${id}.jsonl`)).size,
  async pi(folder, id) {
    const { SessionManager } = await loadPi()
    const path = join(folder, `${id}.jsonl`)
    return () => SessionManager.open(path, folder).buildSessionContext().messages.length
  },
}

export async function resume({ way, root, id }) {
  const run = await WAYS[way](root, id)
  const start = performance.now()
  const messages = await run()
  const micros = (performance.now() - start) * 1000
  if (!(messages > 0)) throw new Error(`${way} found no messages in ${id}`)
  return { micros, peakBytes: peakBytes() }
}
