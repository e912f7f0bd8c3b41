// The logs that reading is measured on: a large and a small one of the same make, written by our
// own writer. Lines are of 6 KB on average: mostly messages, some tool results, a few pictures.

import { randomOf, textOf } from './events.mjs'
import { openLog } from './library.mjs'

const BATCH = 64
const SOURCE_CHARS = 2 * 1024 * 1024

export async function makeLogs(logs) {
  const random = randomOf(2)
  const sources = {
    plain: textOf(SOURCE_CHARS, random),
    foreign: textOf(SOURCE_CHARS, random, { isForeign: true }),
  }
  const made = {}
  for (const { name, path, bytes } of logs) {
    made[name] = { path, ...(await makeLog(path, bytes, sources)) }
  }
  return made
}

async function makeLog(path, bytes, sources) {
  const random = randomOf(3)
  const writer = await openLog(path, { durability: 'none' })
  let lines = 0
  for (; writer.size < bytes; lines += BATCH) {
    await writer.appendAll(Array.from({ length: BATCH }, () => newEvent(random, sources)))
  }
  // The newest lines of every log are alike, so that reading them is the same work.
  const tail = randomOf(4)
  await writer.appendAll(Array.from({ length: BATCH }, () => newEvent(tail, sources)))
  lines += BATCH
  const { size } = writer
  await writer.close()
  return { lines, bytes: size }
}

function newEvent(random, { plain, foreign }) {
  const source = random() < 0.05 ? foreign : plain
  const chars = lengthOf(random)
  const start = Math.floor(random() * (SOURCE_CHARS - chars))
  const text = source.slice(start, start + chars)
  const type = chars > 10_000 || random() < 0.4 ? 'tool_result' : 'assistant'
  return { type, payload: { text, tokens: Math.ceil(chars / 4) } }
}

function lengthOf(random) {
  const roll = random()
  if (roll < 0.002) return 1_000_000
  if (roll < 0.082) return 20_000 + Math.floor(random() * 40_000)
  return 100 + Math.floor(random() * 1700)
}
