// What must hold for a log after its events were acknowledged. All torture tests use these functions,
// and canaries.test.ts shows that they find writers and readers that are known to be wrong.
//
// They return a list of problems, which a test expects to be empty.

import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { isOnChain } from '../../lib/format/index.js'
import { type LogEntry, readLogSync } from '../../lib/log/index.js'

/** What a process under test said on its pipe, so that it is known after its death. */
export interface Ack {
  readonly uuid: string
  /** Writers without receipts do not know it. */
  readonly byteOffset?: number
}

export interface Problem {
  /**
   * - `lost`: it was acknowledged, and the reader does not hand it out
   * - `repeated`: it is handed out more than once
   * - `unverified`: it is handed out with a doubt
   * - `misplaced`: the bytes at the place of the receipt are not that line
   * - `forked`: its link is not the on-chain event before it, and it is no rewind
   * - `damaged`: a range of the file that says nothing any more
   */
  readonly what: 'lost' | 'repeated' | 'unverified' | 'misplaced' | 'forked' | 'damaged'
  readonly uuid?: string | undefined
  readonly byte_offset?: number | undefined
}

/** Everything that is wrong with a log of which these events were acknowledged. */
export function problemsOf(path: string, acks: readonly Ack[]): Problem[] {
  return [...problemsOfReading(readLogSync(path), acks), ...misplaced(path, acks)]
}

/** How often each problem occurs: short enough to be read in a report. */
export function countProblems(
  problems: readonly Problem[],
): Partial<Record<Problem['what'], number>> {
  const counts: Partial<Record<Problem['what'], number>> = {}
  for (const { what } of problems) counts[what] = (counts[what] ?? 0) + 1
  return counts
}

/** Damage is allowed where a writer was killed; everything else is not. */
export function exceptDamage(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ what }) => what !== 'damaged')
}

function problemsOfReading(entries: Iterable<LogEntry>, acks: readonly Ack[]): Problem[] {
  const problems: Problem[] = []
  const timesSeen = new Map<string, number>()
  let tip: string | null = null
  for (const entry of entries) {
    const { byte_offset } = entry
    if (entry.kind !== 'event') {
      problems.push({ what: 'damaged', byte_offset })
      continue
    }
    const { type, uuid, prev_uuid } = entry.event
    const times = (timesSeen.get(uuid) ?? 0) + 1
    timesSeen.set(uuid, times)
    if (times > 1) problems.push({ what: 'repeated', uuid, byte_offset })
    if (entry.unverified) problems.push({ what: 'unverified', uuid, byte_offset })
    if (!isOnChain(entry.event)) continue
    const isFork = prev_uuid !== tip && type !== 'rewind'
    if (isFork) problems.push({ what: 'forked', uuid, byte_offset })
    tip = uuid
  }
  for (const { uuid } of acks) if (!timesSeen.has(uuid)) problems.push({ what: 'lost', uuid })
  return problems
}

/** Asks the bytes and not our reader: a line, whole, of that uuid, with a checksum that is right. */
function misplaced(path: string, acks: readonly Ack[]): Problem[] {
  const bytes = readFileSync(path)
  const wrong = acks.filter(
    ({ uuid, byteOffset }) =>
      byteOffset !== undefined && !isLineOf(uuid, lineAt(bytes, byteOffset)),
  )
  return wrong.map(({ uuid, byteOffset }) => ({
    what: 'misplaced',
    uuid,
    byte_offset: byteOffset,
  }))
}

/** The line that starts there; `undefined` when none does, or when it has no end. */
function lineAt(bytes: Buffer, byteOffset: number): Buffer | undefined {
  if (byteOffset > 0 && bytes[byteOffset - 1] !== 0x0a) return undefined
  const end = bytes.indexOf(0x0a, byteOffset)
  return end === -1 ? undefined : bytes.subarray(byteOffset, end)
}

function isLineOf(uuid: string, line: Buffer | undefined): boolean {
  if (line === undefined || !isProven(line)) return false
  return (JSON.parse(line.toString('utf8')) as { uuid: string }).uuid === uuid
}

function isProven(record: Buffer): boolean {
  const tail = /^,"crc":"([0-9a-f]{8})"\}$/.exec(record.subarray(-18).toString('latin1'))
  return tail !== null && crc32(record.subarray(0, -18)) === Number.parseInt(tail[1]!, 16)
}

/**
 * Watches that what was written stays as it is. Each look remembers the bytes that are new since
 * the last one; to be called while no process writes.
 */
export class AppendOnlyWitness {
  readonly #path: string
  readonly #segments: { readonly from: number; readonly to: number; readonly crc: number }[] = []

  constructor(path: string) {
    this.#path = path
  }

  look(): void {
    const from = this.#segments.at(-1)?.to ?? 0
    const bytes = readFrom(this.#path, from)
    this.#segments.push({ from, to: from + bytes.length, crc: crc32(bytes) })
  }

  /** The remembered ranges whose bytes are not the same any more, or gone. */
  changes(): readonly { readonly from: number; readonly to: number }[] {
    const bytes = readFileSync(this.#path)
    return this.#segments.filter(({ from, to, crc }) => {
      return bytes.length < to || crc32(bytes.subarray(from, to)) !== crc
    })
  }
}

function readFrom(path: string, from: number): Buffer {
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    // A file that shrank has no new bytes; `changes` reports it.
    const bytes = Buffer.alloc(Math.max(0, size - from))
    let filled = 0
    while (filled < bytes.length) {
      filled += readSync(fd, bytes, filled, bytes.length - filled, from + filled)
    }
    return bytes
  } finally {
    closeSync(fd)
  }
}

/** What a reader says about a range of a file; also a naive one can be asked in these terms. */
export interface ReadEntry {
  readonly byte_offset: number
  readonly length: number
  /** Absent: the reader reports that it could not read this. */
  readonly event?: { readonly uuid: string; readonly prev_uuid?: string | null } | undefined
  /** The event is handed out with a doubt. */
  readonly isDoubtful?: boolean
  /** The reader had something to tolerate. */
  readonly isNoted?: boolean
}

export interface ReadingProblem {
  /**
   * - `altered`: an event that was not written is returned without a mark
   * - `passed_over`: bytes that are no padding, and the reader says nothing of them
   * - `unreported`: a record is gone, and neither the reader nor the chain shows it
   * - `thrown`: a reader of damaged files has no right to
   */
  readonly what: 'altered' | 'passed_over' | 'unreported' | 'thrown'
  readonly detail: string
}

/** The events of good lines, in a form in which they can be found again. */
export function writtenBy(records: readonly Buffer[]): ReadonlySet<string> {
  return new Set(records.map((record) => canonical(JSON.parse(record.toString('utf8')))))
}

/** What is wrong with the answer of a reader that was given changed bytes of a log of ours. */
export function problemsOfAnswer(
  written: ReadonlySet<string>,
  changed: Buffer,
  read: () => readonly ReadEntry[],
): ReadingProblem[] {
  let answer: readonly ReadEntry[]
  try {
    answer = read()
  } catch (error) {
    return [{ what: 'thrown', detail: String(error) }]
  }
  const texts = answer.map(({ event }) => event && canonical(event))
  return [
    ...alteredEvents(written, changed, answer, texts),
    ...rangesPassedOver(changed, answer),
    ...unreportedLosses(written, answer, texts),
  ]
}

/** For each range that a reader returned: the event in the form of `writtenBy`. */
type Texts = readonly (string | undefined)[]

function alteredEvents(
  written: ReadonlySet<string>,
  changed: Buffer,
  answer: readonly ReadEntry[],
  texts: Texts,
): ReadingProblem[] {
  return answer.flatMap(({ isDoubtful, byte_offset, length }, index) => {
    const text = texts[index]
    if (text === undefined || isDoubtful || written.has(text)) return []
    // A newline was moved directly before a record that is quoted in another one: it starts a line
    // and has a valid checksum, so it cannot be distinguished.
    if (
      beginsLine(changed, byte_offset) &&
      isProven(changed.subarray(byte_offset, byte_offset + length))
    )
      return []
    return [{ what: 'altered' as const, detail: text }]
  })
}

/** Also behind NULs, which a reader takes for what a power cut left. */
function beginsLine(bytes: Buffer, byteOffset: number): boolean {
  let before = byteOffset - 1
  while (before >= 0 && bytes[before] === 0) before--
  return before < 0 || bytes[before] === 0x0a
}

function rangesPassedOver(changed: Buffer, answer: readonly ReadEntry[]): ReadingProblem[] {
  const rest = Buffer.from(changed)
  for (const { byte_offset, length } of answer) rest.fill(0, byte_offset, byte_offset + length)
  for (let at = 0; at < rest.length; at++) {
    if (!isPadding(rest[at]!)) return [{ what: 'passed_over', detail: `byte ${at}` }]
  }
  return []
}

// A block that was dropped from newline to newline leaves no damaged line, but a dangling link. Only
// the loss of the last lines leaves no trace.
function unreportedLosses(
  written: ReadonlySet<string>,
  answer: readonly ReadEntry[],
  texts: Texts,
): ReadingProblem[] {
  const read = new Set(texts.filter((text) => text !== undefined))
  const firstLost = [...written].findIndex((record) => !read.has(record))
  if (firstLost === -1 || firstLost === read.size) return []
  const isReported = answer.some(
    ({ event, isDoubtful, isNoted }) => event === undefined || isDoubtful || isNoted,
  )
  return isReported || hasGap(answer)
    ? []
    : [{ what: 'unreported', detail: [...written][firstLost]! }]
}

function hasGap(answer: readonly ReadEntry[]): boolean {
  const seen = new Set<string>()
  for (const { event } of answer) {
    if (event === undefined) continue
    if (typeof event.prev_uuid === 'string' && !seen.has(event.prev_uuid)) return true
    seen.add(event.uuid)
  }
  // The root is missing.
  return answer[0]?.event?.prev_uuid !== null
}

function canonical(event: object): string {
  return JSON.stringify(event)
}

function isPadding(byte: number): boolean {
  return byte === 0 || byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a
}
