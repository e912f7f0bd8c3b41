// What disks, crashes and careless tools do to a file of lines, at random places.

import type { Random } from '../helpers/random.js'

export interface Mutation {
  readonly name: string
  readonly bytes: Buffer
}

type Change = (bytes: Buffer, random: Random) => Buffer

const BLOCK_BYTES_MAX = 600

const CHANGES: Readonly<Record<string, Change>> = {
  'a flipped bit': (bytes, random) => {
    return withByte(bytes, random.below(bytes.length), (byte) => byte ^ (1 << random.below(8)))
  },
  'another byte': (bytes, random) => {
    return withByte(bytes, random.below(bytes.length), () => random.below(256))
  },
  'another letter': (bytes, random) => {
    const at = bytes.indexOf(random.pick(LETTERS), random.below(bytes.length))
    return at === -1 ? bytes : withByte(bytes, at, () => random.pick(LETTERS))
  },
  'another quote or bracket': (bytes, random) => {
    const at = bytes.indexOf(random.pick(MARKS), random.below(bytes.length))
    return at === -1 ? bytes : withByte(bytes, at, (byte) => byte ^ (1 << random.below(7)))
  },
  'a changed checksum field': (bytes, random) => {
    const at = bytes.indexOf(',"crc":"', random.below(bytes.length))
    if (at === -1) return bytes
    return withByte(bytes, at + random.below(18), (byte) => byte ^ (1 << random.below(7)))
  },
  'a block of NULs': (bytes, random) => {
    const { from, to } = block(bytes, random)
    return replaced(bytes, from, to, Buffer.alloc(to - from))
  },
  'a block twice': (bytes, random) => {
    const { from, to } = block(bytes, random)
    return replaced(bytes, to, to, bytes.subarray(from, to))
  },
  'a block dropped': (bytes, random) => {
    const { from, to } = block(bytes, random)
    return replaced(bytes, from, to, Buffer.alloc(0))
  },
  'two blocks swapped': (bytes, random) => {
    const { from, to } = block(bytes, random)
    const length = to - from
    const other = random.below(Math.max(1, bytes.length - length))
    const copy = Buffer.from(bytes)
    bytes.copy(copy, from, other, other + length)
    bytes.copy(copy, other, from, to)
    return copy
  },
  'a block from elsewhere': (bytes, random) => {
    const { from, to } = block(bytes, random)
    const at = random.below(bytes.length)
    return replaced(bytes, at, at, bytes.subarray(from, to))
  },
  'a line dropped': (bytes, random) => {
    const { from, to } = lineAround(bytes, random)
    return replaced(bytes, from, to, Buffer.alloc(0))
  },
  'a line moved': (bytes, random) => {
    const { from, to } = lineAround(bytes, random)
    const moved = Buffer.from(bytes.subarray(from, to))
    const rest = replaced(bytes, from, to, Buffer.alloc(0))
    const at = lineAround(rest, random).from
    return replaced(rest, at, at, moved)
  },
  'a newline lost': (bytes, random) => {
    const at = bytes.indexOf(0x0a, random.below(bytes.length))
    return at === -1 ? bytes : replaced(bytes, at, at + 1, Buffer.alloc(0))
  },
  'a line cut short, the next one glued to it': (bytes, random) => {
    const { from, to } = lineAround(bytes, random)
    const cut = from + random.below(Math.max(1, to - from))
    return replaced(bytes, cut, to, Buffer.alloc(0))
  },
  'a cut end': (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
}

const LETTERS = [...'abdeilnorstu0123456789'].map((letter) => letter.charCodeAt(0))
const MARKS = [...'"{}[]:,\\'].map((mark) => mark.charCodeAt(0))
const NAMES = Object.keys(CHANGES)

/** One change, or now and then several. */
export function mutate(bytes: Buffer, random: Random): Mutation {
  const changes = random.below(4) === 0 ? random.between(2, 4) : 1
  const names: string[] = []
  let changed = bytes
  for (let change = 0; change < changes && changed.length > 0; change++) {
    const name = random.pick(NAMES)
    names.push(name)
    changed = CHANGES[name]!(changed, random)
  }
  return { name: names.join(', '), bytes: changed }
}

function withByte(bytes: Buffer, at: number, change: (byte: number) => number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = change(copy[at]!)
  return copy
}

function replaced(bytes: Buffer, from: number, to: number, by: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(to)])
}

function block(bytes: Buffer, random: Random): { from: number; to: number } {
  const length = random.between(1, BLOCK_BYTES_MAX)
  const from = random.below(bytes.length)
  return { from, to: Math.min(bytes.length, from + length) }
}

/** A whole line with its newline. */
function lineAround(bytes: Buffer, random: Random): { from: number; to: number } {
  const at = random.below(bytes.length)
  const from = at === 0 ? 0 : bytes.lastIndexOf(0x0a, at - 1) + 1
  const end = bytes.indexOf(0x0a, from)
  return { from, to: end === -1 ? bytes.length : end + 1 }
}
