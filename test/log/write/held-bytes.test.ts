// How much of a file is held while its lines are found: no more than a line may be long.

import { describe, expect, test } from 'vitest'
import { BackwardLines } from '../../../lib/log/read/backward-lines.js'
import {
  ForwardLines,
  type LineSource,
  type ReadRequest,
} from '../../../lib/log/read/forward-lines.js'

interface Found {
  readonly byte_offset: number
  readonly length: number
  readonly isOversize: boolean
  readonly isEnded: boolean
  /** What is held of it. */
  readonly text: string
}

/** Feeds a source from memory, and keeps an eye on what it asks for and on what it holds. */
function drive(lines: LineSource, file: Buffer) {
  const found: Found[] = []
  const requests: number[] = []
  const buffers = new Set<Buffer>()
  let bytesMax = 0
  const fill = (request: ReadRequest) => {
    requests.push(request.length)
    const copied = file.copy(
      lines.bytes,
      request.at,
      request.position,
      request.position + request.length,
    )
    expect(copied).toBe(request.length)
    lines.accept(request)
    buffers.add(lines.bytes)
    bytesMax = Math.max(bytesMax, lines.bytes.length)
  }
  for (let request = lines.request(); request !== undefined; request = lines.request()) {
    expect(request.length).toBeGreaterThan(0)
    fill(request)
    while (lines.next()) {
      const { byte_offset, length, isOversize, isEnded, bytes, start, end } = lines
      const text = bytes.toString('latin1', start, end)
      found.push({ byte_offset, length, isOversize, isEnded, text })
    }
  }
  return { found, requests, bytesMax, buffers }
}

const DIRECTIONS = [
  ['forward', (range: ConstructorParameters<typeof ForwardLines>[0]) => new ForwardLines(range)],
  ['backward', (range: ConstructorParameters<typeof BackwardLines>[0]) => new BackwardLines(range)],
  [
    'backward, and kept',
    (range: ConstructorParameters<typeof BackwardLines>[0]) =>
      new BackwardLines(range, { isKept: true }),
  ],
] as const

/** Letters that tell the place, so that a part is known by its text. */
function lineOf(length: number): string {
  return Array.from({ length: Math.ceil(length / 8) }, (_, n) => String(n).padStart(8, '.'))
    .join('')
    .slice(0, length)
}

describe.each(DIRECTIONS)('%s', (name, linesOf) => {
  const inOrder = (found: readonly Found[]) => (name === 'forward' ? found : [...found].reverse())

  test('a line that is too long is known by its beginning, whatever its length', () => {
    for (const length of [601, 4095, 4096, 4097, 9000, 300_000]) {
      for (const chunkBytes of [100, 599, 5000]) {
        const long = lineOf(length)
        const file = Buffer.from(`first\n${long}\nlast\n`)
        const range = { from: 0, to: file.length, chunkBytes, lineBytesMax: 600 }
        const { found, bytesMax } = drive(linesOf(range), file)
        expect(inOrder(found)).toEqual([
          { byte_offset: 0, length: 5, isOversize: false, isEnded: true, text: 'first' },
          {
            byte_offset: 6,
            length,
            isOversize: true,
            isEnded: true,
            text: long.slice(0, 4096),
          },
          { byte_offset: 7 + length, length: 4, isOversize: false, isEnded: true, text: 'last' },
        ])
        expect(bytesMax).toBeLessThan(30_000)
      }
    }
  })

  test('a line that is as long as one may be is held whole, and one byte more is not', () => {
    for (const chunkBytes of [100, 600, 5000]) {
      const texts = [lineOf(600), lineOf(601), lineOf(600)]
      const file = Buffer.from(texts.join('\n'))
      const range = { from: 0, to: file.length, chunkBytes, lineBytesMax: 600 }
      const found = inOrder(drive(linesOf(range), file).found)
      expect(found.map(({ isOversize }) => isOversize)).toEqual([false, true, false])
      expect(found.map(({ text }) => text)).toEqual(texts)
      expect(found.map(({ isEnded }) => isEnded)).toEqual([true, true, false])
    }
  })

  test('what is held grows with the line, not with what a line may be', () => {
    const file = Buffer.from(`${lineOf(40_000)}\n${lineOf(30_000)}\n`)
    const range = { from: 0, to: file.length, chunkBytes: 1000 }
    const { found, bytesMax, buffers } = drive(linesOf(range), file)
    expect(inOrder(found).map(({ text }) => text.length)).toEqual([40_000, 30_000])
    expect(bytesMax).toBeLessThan(120_000)
    // It doubles, so it is made anew a few times and not for every chunk.
    expect(buffers.size).toBeLessThan(12)
  })
})

test('the first look from the end is small, and those after it are larger', () => {
  const file = Buffer.alloc(1_500_000, `${'x'.repeat(99)}\n`)
  const { requests, found } = drive(new BackwardLines({ from: 0, to: file.length }), file)
  const KIB = 1024
  expect(requests.slice(0, 6)).toEqual([16, 32, 64, 128, 256, 256].map((size) => size * KIB))
  expect(found).toHaveLength(15_000)
})

test('a short range is read into a small buffer, and a long one in chunks', () => {
  const file = Buffer.alloc(1_000_000, `${'x'.repeat(99)}\n`)
  const short = drive(new ForwardLines({ from: 0, to: 1000 }), file)
  expect(short.requests).toEqual([1000])
  expect(short.bytesMax).toBeLessThan(10_000)
  const behind = drive(new ForwardLines({ from: 999_000, to: 1_000_000 }), file)
  expect(behind.bytesMax).toBeLessThan(10_000)
  expect(behind.found).toHaveLength(10)
  const long = drive(new ForwardLines({ from: 0, to: file.length }), file)
  expect(long.requests.slice(0, 2)).toEqual([256 * 1024, 256 * 1024])
  expect(long.buffers.size).toBe(1)
})

test('a buffer that is given is used, and one that grew is used again', () => {
  const buffer = Buffer.alloc(20_000)
  const lines = [lineOf(6000), lineOf(50), lineOf(6000)]
  const file = Buffer.from(`${lines.join('\n')}\n`)
  const { buffers, found } = drive(
    new ForwardLines({ from: 0, to: file.length, buffer, chunkBytes: 1000 }),
    file,
  )
  expect([...buffers]).toEqual([buffer])
  expect(found.map(({ text }) => text)).toEqual(lines)
  const own = drive(new ForwardLines({ from: 0, to: file.length, chunkBytes: 1000 }), file)
  const again = Buffer.from(`${[...lines, ...lines].join('\n')}\n`)
  const twice = drive(new ForwardLines({ from: 0, to: again.length, chunkBytes: 1000 }), again)
  expect(twice.buffers.size).toBe(own.buffers.size)
})
