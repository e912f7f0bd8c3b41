// A log of some lines as agents write them, and readers that are given changed copies of it.

import { writeFileSync } from 'node:fs'
import { type LogEntry, readLogBackwardSync, readLogSync } from '../../lib/log/index.js'
import { id, line, record, time } from '../helpers/lines.js'
import type { Random } from '../helpers/random.js'
import { problemsOfAnswer, type ReadEntry, type ReadingProblem, writtenBy } from './check.js'
import { mutate } from './mutate.js'

const LINES = 60

interface GoodLog {
  readonly whole: Buffer
  readonly written: ReadonlySet<string>
}

/** A record of another log, which was not written into this one. */
const quoted = record('user', { uuid: 'quoted', payload: { content: 'from another log' } })

function goodLog(length: number): GoodLog {
  const lines = Array.from({ length }, (_, index) =>
    line(index % 3 === 2 ? 'tool_result' : index % 3 === 1 ? 'assistant' : 'user', {
      uuid: id(index),
      prev_uuid: index === 0 ? null : id(index - 1),
      ts: time(index),
      payload: payloadOf(index),
    }),
  )
  return { whole: Buffer.concat(lines), written: writtenBy(lines) }
}

function payloadOf(index: number): object {
  // An agent that reads logs has their lines in its own, as text or as values.
  if (index % 10 === 4) return { content: `cat log\n${quoted}\n` }
  if (index % 10 === 7) return { log: [JSON.parse(String(quoted))], content: 'read', crc: 'none' }
  if (index % 10 === 9) return { content: '漢字 é 👩‍👩‍👧 \u2028 \\ "'.repeat(3) }
  return { content: `line ${index} `.padEnd(40 + ((index * 37) % 300), 'lorem ipsum ') }
}

export type Reader = (path: string, changed: Buffer) => readonly ReadEntry[]

// Thousands of readings, so each takes little memory; and lines lie across its chunks.
export const SMALL_CHUNKS = { sizes: { chunkBytes: 4096 } } as const

export const readForward: Reader = (path) => [...readLogSync(path, SMALL_CHUNKS)].map(toReadEntry)

/** In the order of the file, like the others. */
export const readBackward: Reader = (path) => {
  return [...readLogBackwardSync(path, SMALL_CHUNKS)].map(toReadEntry).reverse()
}

/** As a resume reads: payloads are not parsed, so only the checksum verifies them. */
export const readForResume: Reader = (path, changed) => {
  const entries = readLogBackwardSync(path, { ...SMALL_CHUNKS, lazyPayloads: true })
  return [...entries].map((entry) => withChecksum(toReadEntry(entry), changed)).reverse()
}

/** Such an event is handed out without the checksum of its line, of which the others have a copy. */
function withChecksum(read: ReadEntry, changed: Buffer): ReadEntry {
  if (read.event === undefined || 'crc' in read.event || read.isDoubtful) return read
  const end = read.byte_offset + read.length
  const crc = changed.toString('latin1', end - 10, end - 2)
  return { ...read, event: Object.assign({ ...read.event }, { crc }) }
}

function toReadEntry(entry: LogEntry): ReadEntry {
  const { byte_offset, length, diagnostics = [] } = entry
  if (entry.kind !== 'event') return { byte_offset, length }
  const isNoted = diagnostics.length > 0
  return { byte_offset, length, event: entry.event, isDoubtful: entry.unverified === true, isNoted }
}

export interface Finding {
  readonly mutation: string
  readonly number: number
  readonly problems: readonly ReadingProblem[]
}

interface FindOptions {
  readonly random: Random
  /** How many changed copies. */
  readonly count: number
  /** Of the log; a short one is read quickly, a long one spans several chunks of the reader. */
  readonly lines?: number
  readonly findingsMax?: number
}

/** What the reader gets wrong in so many changed copies, until it got `findingsMax` of them wrong. */
export function findProblems(
  path: string,
  read: Reader,
  { random, count, lines = LINES, findingsMax = 3 }: FindOptions,
): Finding[] {
  const { whole, written } = goodLog(lines)
  const findings: Finding[] = []
  for (let number = 0; number < count && findings.length < findingsMax; number++) {
    const { name, bytes } = mutate(whole, random)
    writeFileSync(path, bytes)
    const problems = problemsOfAnswer(written, bytes, () => read(path, bytes))
    if (problems.length > 0) findings.push({ mutation: name, number, problems })
  }
  return findings
}
