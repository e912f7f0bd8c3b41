// Stores of many sessions, and the ways to list them, each in a process that has done nothing else.

import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { newEventsOf, textPayloads } from './events.mjs'
import { loadFormat, loadSessions, readLogSync } from './library.mjs'
import { loadPi } from './peers.mjs'

const EVENTS = 50

/** All alike but for their headers: one session is written, the others are copies of it. */
export async function makeMany({ root, count, events = EVENTS }) {
  mkdirSync(root, { recursive: true, mode: 0o700 })
  const { createSession } = await loadSessions()
  const [event] = newEventsOf(textPayloads(2000))
  const payload = { content: event.payload.text }
  const seed = await createSession({ root, home: root, id: 'seed', durability: 'none' })
  for (let index = 0; index < events; index++) await seed.append({ type: 'user', payload })
  await seed.close()
  const bytes = readFileSync(seed.path)
  const folder = join(root, '.transcripts')
  const { LineEncoder } = await loadFormat()
  const encoder = new LineEncoder()
  const [{ event: header, length }] = readLogSync(seed.path)
  const rest = bytes.subarray(length + 1)
  for (let index = 0; index < count - 1; index++) {
    const payload = { ...header.payload, session_id: `s${index}` }
    encoder.reset()
    encoder.addEvent({ ...header, prevJson: 'null', payloadJson: JSON.stringify(payload) })
    const own = encoder.bytes({ isolate: false })
    writeFileSync(join(folder, `s${index}.jsonl`), Buffer.concat([own, rest]))
  }
}

/** The least a listing could do: the two ends of every file. */
export function readEnds(folder) {
  const head = Buffer.allocUnsafe(4096)
  const tail = Buffer.allocUnsafe(65_536)
  let files = 0
  for (const name of readdirSync(folder)) {
    const fd = openSync(join(folder, name), 'r')
    const { size } = fstatSync(fd)
    readSync(fd, head, 0, head.length, 0)
    readSync(fd, tail, 0, tail.length, Math.max(0, size - tail.length))
    closeSync(fd)
    files++
  }
  return files
}

const WAYS = {
  async ours({ root }) {
    const { listSessions } = await loadSessions()
    return () => listSessions({ root, home: root, all: true }).sessions.length
  },
  ends:
    async ({ root }) =>
    () =>
      readEnds(join(root, '.transcripts')),
  async pi({ folder }) {
    const { SessionManager } = await loadPi()
    return async () => (await SessionManager.list('/work', folder)).length
  },
}

export async function listAll({ way, least, ...where }) {
  const run = await WAYS[way](where)
  const start = performance.now()
  const found = await run()
  const time = performance.now() - start
  if (found < least) throw new Error(`${way} found ${found} of ${least} sessions`)
  return { time }
}
