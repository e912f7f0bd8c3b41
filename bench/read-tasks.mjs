// One way to read a log, timed in a process that has done nothing else.

import { once } from 'node:events'
import { closeSync, createReadStream, openSync, readFileSync, readSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { indexUuids, readLogSync } from './library.mjs'

const CHUNK_BYTES = 256 * 1024
// Reading to the start of a fresh allocation is slow on some processors; the baseline must be fair.
const MARGIN_BYTES = 64
const NEWLINE = 0x0a

const WAYS = {
  'index-uuids': ({ path }) => indexUuids(path).size,
  'read-log': ({ path }) => {
    let events = 0
    for (const { kind } of readLogSync(path)) if (kind === 'event') events++
    return events
  },
  'read-bytes': readBytes,
  'parse-lines': parseLines,
  ndjson: parseWithNdjson,
  readline: parseWithReadline,
}

/** It returns the time in microseconds, and how much memory the process had at most. */
export async function read({ way, log }) {
  if (way === 'ndjson') await import('ndjson')
  const start = performance.now()
  const lines = await WAYS[way](log)
  const micros = (performance.now() - start) * 1000
  if (lines !== log.lines) throw new Error(`${way} found ${lines} of ${log.lines} lines`)
  return { micros, peakBytes: peakBytes() }
}

/** The lower bound: every byte is read, none is examined. */
function readBytes({ path, bytes, lines }) {
  let total = 0
  forEachChunk(path, (_, start, end) => {
    total += end - start
    return end
  })
  if (total !== bytes) throw new Error(`${total} of ${bytes} bytes were read`)
  return lines
}

function parseLines({ path }) {
  let events = 0
  forEachChunk(path, (bytes, start, end) => {
    for (let at = start; ; ) {
      const newline = bytes.indexOf(NEWLINE, at)
      if (newline === -1 || newline >= end) return at
      if (typeof JSON.parse(bytes.toString('utf8', at, newline)).uuid === 'string') events++
      at = newline + 1
    }
  })
  return events
}

async function parseWithNdjson({ path }) {
  const { default: ndjson } = await import('ndjson')
  let events = 0
  const stream = createReadStream(path).pipe(ndjson.parse())
  stream.on('data', (event) => {
    if (typeof event.uuid === 'string') events++
  })
  await once(stream, 'end')
  return events
}

async function parseWithReadline({ path }) {
  let events = 0
  const input = createReadStream(path)
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (typeof JSON.parse(line).uuid === 'string') events++
  }
  return events
}

/** `visit` returns how far it came; the rest is there again at its next call. */
function forEachChunk(path, visit) {
  let bytes = Buffer.allocUnsafeSlow(MARGIN_BYTES + 2 * CHUNK_BYTES)
  let end = MARGIN_BYTES
  const fd = openSync(path, 'r')
  for (;;) {
    if (bytes.length - end < CHUNK_BYTES) {
      bytes = Buffer.concat([bytes.subarray(0, end)], 2 * bytes.length)
    }
    const length = readSync(fd, bytes, end, CHUNK_BYTES)
    if (length === 0) break
    const done = visit(bytes, MARGIN_BYTES, end + length)
    bytes.copyWithin(MARGIN_BYTES, done, end + length)
    end = MARGIN_BYTES + end + length - done
  }
  closeSync(fd)
}

// Not `resourceUsage`, which on Linux counts what the parent had when it forked.
export function peakBytes() {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))
    return kilobytes * 1024
  } catch {
    return process.resourceUsage().maxRSS * 1024
  }
}
