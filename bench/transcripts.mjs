// A store to be searched: many transcripts as harnesses leave them. Messages are prose; tool results
// are code, which is what agents read most, and here it is this library's own.

import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf, textOf } from './events.mjs'
import { loadFormat } from './library.mjs'

const CODE = new URL('../dist/modules/lib/', import.meta.url)
const PROSE_CHARS = 1024 * 1024
const LINES_PER_PLANTED = 251

/** Each occurs in one of N lines: the first has rare bytes, the other only common ones. */
export const PLANTED = { rare: 'ZQX_7731_overflow', common: 'needless retention' }

export async function makeStore({ root, files, bytes }) {
  const { LineEncoder } = await loadFormat()
  const folder = join(root, '.transcripts')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const random = randomOf(6)
  const sources = { prose: textOf(PROSE_CHARS, random, { isForeign: true }), code: readCode() }
  const made = { bytes: 0, lines: 0 }
  for (let index = 0; index < files; index++) {
    const path = join(folder, `session-${String(index).padStart(4, '0')}.jsonl`)
    const { size, lines } = makeTranscript(path, bytes / files, { LineEncoder, random, sources })
    made.bytes += size
    made.lines += lines
  }
  return made
}

function makeTranscript(path, bytes, { LineEncoder, random, sources }) {
  const encoder = new LineEncoder()
  const fd = openSync(path, 'wx', 0o600)
  let size = 0
  let lines = 0
  let prevJson = 'null'
  while (size < bytes) {
    encoder.reset()
    const [type, payload] = lines === 0 ? headerOf(path) : eventOf(lines, random, sources)
    const uuid = `${String(lines).padStart(8, '0')}-0000-4000-8000-000000000000`
    const ts = new Date(Date.UTC(2026, 0, 1 + (lines % 28), 12, 0, lines % 60)).toISOString()
    size += encoder.addEvent({ type, ts, uuid, prevJson, payloadJson: JSON.stringify(payload) })
    writeSync(fd, encoder.bytes({ isolate: false }))
    prevJson = `"${uuid}"`
    lines++
  }
  closeSync(fd)
  return { size, lines }
}

function headerOf(path) {
  const session_id = path.slice(-18, -6)
  const start_ts = '2026-01-01T00:00:00.000Z'
  return [
    'session_header',
    { format: 1, session_id, start_ts, project: `/work/${path.slice(-7, -6)}` },
  ]
}

function eventOf(line, random, { prose, code }) {
  const roll = random()
  const planted = plantedIn(line)
  const id = `call-${line - (line % 4)}`
  if (line % 4 === 1)
    return ['user', { content: planted + sliceOf(prose, 40 + roll * 400, random) }]
  if (line % 4 === 2) {
    const content = planted + sliceOf(prose, 100 + roll * 3000, random)
    const usage = { input_tokens: 1000 + line, output_tokens: 300, cache_read_tokens: 900 }
    return ['assistant', { content, model: 'm-1', usage, stop_reason: 'tool_use' }]
  }
  if (line % 4 === 3) {
    const input = { command: sliceOf(code, 20 + roll * 200, random) + planted }
    return ['tool_call', { tool_call_id: id, name: roll < 0.5 ? 'bash' : 'read', input }]
  }
  const chars =
    roll < 0.01 ? 300_000 : roll < 0.3 ? 8000 + random() * 30_000 : 200 + random() * 4000
  const content = sliceOf(code, chars, random) + planted
  return ['tool_result', { tool_call_id: id, content, is_error: roll > 0.97 }]
}

function plantedIn(line) {
  if (line % LINES_PER_PLANTED === 7) return `${PLANTED.rare} `
  return line % LINES_PER_PLANTED === 12 ? `${PLANTED.common} ` : ''
}

function sliceOf(source, length, random) {
  const start = Math.floor(random() * (source.length - length))
  return source.slice(start, start + length)
}

function readCode() {
  const names = readdirSync(CODE, { recursive: true })
    .filter((name) => name.endsWith('.js'))
    .sort()
  return names.map((name) => readFileSync(new URL(name, CODE), 'utf8')).join('\n')
}
