// How many bytes a process hands to the kernel for each byte of what it was asked to keep. Counted by
// the kernel (`wchar`), in a process that does nothing else; Linux only.

import { mkdirSync, readFileSync } from 'node:fs'
import { textPayloads } from './events.mjs'
import { loadSessions } from './library.mjs'
import { NotInstalled } from './peers.mjs'
import { levelPut, oursOneByOne, piSession, rawWrite, sqliteInsert } from './variants.mjs'

const APPENDS = {
  ours: oursOneByOne,
  bare: rawWrite,
  pi: piSession,
  sqlite: sqliteInsert,
  level: levelPut,
}
const MESSAGES = 400
const COMPACTIONS = 5
const CONTENT_CHARS = 2000

/** Returns the ratio, or why it could not be measured. */
export async function writtenBytes({ way, ...argument }) {
  try {
    return { ratio: await (way === 'session' ? sessionRatio : appendRatio)({ way, ...argument }) }
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error
    return { skipped: error.message }
  }
}

async function appendRatio({ way, folder, chars, count }) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const payloads = textPayloads(chars)
  const variant = await APPENDS[way](payloads)
  const opened = await variant.open(folder)
  // What opening costs is not the price of an append.
  const before = bytesWritten()
  opened.prepare?.(count)
  await opened.run(count)
  await opened.close()
  return (bytesWritten() - before) / (count * contentBytes(payloads))
}

/** A session that talks, compacts and leaves checkpoints, as it is asked to. */
async function sessionRatio({ folder, compactions = 0, checkpoints = false }) {
  const { createSession } = await loadSessions()
  const continuity = checkpoints ? {} : false
  const options = { root: folder, home: folder, project: folder, durability: 'none', continuity }
  const session = await createSession(options)
  const payloads = textPayloads(CONTENT_CHARS)
  const summary = payloads[0].text.repeat(2)
  const every = Math.floor(MESSAGES / (COMPACTIONS + 1))
  let content = 0
  const before = bytesWritten()
  for (let index = 1; index <= MESSAGES; index++) {
    const text = payloads[index % payloads.length].text
    content += Buffer.byteLength(JSON.stringify({ content: text }))
    if (checkpoints && index % 2 === 0) await session.prompt(text)
    else await session.append({ type: 'assistant', payload: { content: text } })
    if (index % every === 0 && index / every <= compactions) {
      const kept = session.projection.entries.at(-5)
      content += Buffer.byteLength(summary)
      await session.compact({ summary, keepFrom: kept.event.uuid })
    }
  }
  await session.close()
  return (bytesWritten() - before) / content
}

function contentBytes(payloads) {
  const sizes = payloads.map((payload) => Buffer.byteLength(JSON.stringify(payload)))
  return sizes.reduce((sum, size) => sum + size, 0) / sizes.length
}

function bytesWritten() {
  let text
  try {
    text = readFileSync('/proc/self/io', 'utf8')
  } catch (cause) {
    throw new NotInstalled('this system does not count written bytes', { cause })
  }
  return Number(/^wchar: (\d+)$/m.exec(text)[1])
}
