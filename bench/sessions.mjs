// Sessions to resume, and the ways to do it, each in a process that has done nothing else.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf, textOf } from './events.mjs'
import { loadSessions } from './library.mjs'
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
  for (const { id, bytes } of sessions) {
    const session = await createSession({ root, id, durability: 'none' })
    const covered = (bytes - LIVE_BYTES) / COMPACTIONS
    for (let round = 1; round <= COMPACTIONS; round++) {
      let last
      while (session.size < covered * round) last = (await fill(session, message)).at(-5)
      await session.compact({ summary: source.slice(0, 4000), keepFrom: last.uuid })
    }
    while (session.size < bytes) await fill(session, message)
    await session.close()
  }
}

function fill(session, message) {
  return session.appendAll(Array.from({ length: BATCH }, message))
}

const WAYS = {
  async ours(root, id) {
    const { resumeSession } = await loadSessions()
    return async () => (await resumeSession({ root, id, mode: 'inspect' })).messages.length
  },
  // Ready to go on, with every message known and checked; no payload is parsed before it is asked for.
  async lazy(root, id) {
    const { resumeSession } = await loadSessions()
    return async () => {
      const { readFrom, resumed_from } = await resumeSession({ root, id, mode: 'inspect' })
      return resumed_from.tip_uuid === null ? 0 : readFrom
    }
  },
  // What most harnesses do: the whole file as one string, split, parsed, and then filtered.
  'read-all': async (root, id) => () => {
    const lines = readFileSync(join(root, '.transcripts', `${id}.jsonl`), 'utf8').split('\n')
    const events = lines.filter((line) => line !== '').map((line) => JSON.parse(line))
    return events.filter(({ type }) => type === 'assistant').length
  },
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
