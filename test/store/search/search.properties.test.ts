// A search passes most lines over by their bytes. Whatever it finds so must be what it would have
// found by reading every line, however the words are spelled and whatever became of the lines.

import { expect, it } from 'vitest'
import { readLogSync } from '../../../lib/log/index.js'
import { AnyBytesFinder } from '../../../lib/store/prefilter/find-any-bytes.js'
import { LinePrefilter } from '../../../lib/store/prefilter/line-prefilter.js'
import { parseQuery, TranscriptSearch } from '../../../lib/store/search/search-transcript.js'
import { runs } from '../../helpers/effort.js'
import { foreignLine, id, line } from '../../helpers/lines.js'
import { type Random, seededRandom } from '../../helpers/random.js'
import { temporaryFile } from '../../helpers/temporary.js'

const WORDS = [
  ...[
    'trunk',
    'ports',
    'kiwi',
    'KIWI',
    '\u212aiw\u0130',
    'k\u0130w\u0130',
    'istanbul',
    '\u0130stanbul',
  ],
  ...[
    'straße',
    'STRASSE',
    'ΟΔΟΣ',
    'οδος',
    'Ünïcode',
    'ünÏCODE',
    '会议记录',
    '会议',
    'привет',
    'ПРИВЕТ',
  ],
  ...[
    'a/b',
    'say "hi"',
    'back\\slash',
    'tab\there',
    'bell\u0007',
    'line\u2028end',
    '\u007f',
    '👍🏽',
    'i\u0307o',
  ],
  ...['the', 'of', 'x', 'node.js', 'u0041', '\\u0041', 'fi\u0301', 'trunkports', 'Trunk\nPorts'],
]

const TYPES = ['user', 'assistant', 'summary', 'tool_result', 'system', 'user', 'assistant']

function randomText(random: Random): string {
  const words = Array.from({ length: random.between(0, 12) }, () => random.pick(WORDS))
  return words.join(random.pick([' ', '', '\n', '  ', ', ']))
}

function payloadOf(type: string, text: string, random: Random): object {
  if (type === 'summary') return { text }
  if (random.below(3) > 0) return { content: text }
  const blocks = [
    { type: 'text', text },
    { type: 'tool_result', content: 'kiwi' },
  ]
  return { content: random.below(2) > 0 ? blocks : [...blocks, { type: 'text', text: 'ports' }] }
}

/** As a writer spells it that escapes what it likes. */
function escaped(json: string, random: Random): string {
  return json.replace(/[^\x00-\x1f"\\{}:,[\]]/g, (character) => {
    if (random.below(4) > 0) return character
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${random.below(2) > 0 ? code : code.toUpperCase()}`
  })
}

function randomLine(number: number, random: Random): Buffer {
  const type = random.pick(TYPES)
  const payload = payloadOf(type, randomText(random), random)
  const whole = line(type, { uuid: id(number), payload })
  switch (random.below(8)) {
    case 0:
      return foreignLine({ payload, uuid: id(number), type })
    case 1: {
      const json = JSON.stringify({ uuid: id(number), type: 'user', payload: 0 })
      const text = escaped(JSON.stringify(payload), random)
      return Buffer.from(`${json.replace('"payload":0', `"payload":${text}`)}\n`)
    }
    case 2:
      // Cut short, with the next one on the same line.
      return whole.subarray(0, random.below(whole.length - 1))
    case 3: {
      const changed = Buffer.from(whole)
      changed[random.below(changed.length - 1)]! ^= 1 << random.below(7)
      return changed
    }
    case 4:
      return whole.subarray(0, -1)
    default:
      return whole
  }
}

function randomQuery(random: Random): string {
  const words = Array.from({ length: random.between(1, 4) }, () => random.pick(WORDS))
  const query = words.join(random.pick([' ', ' ', '-']))
  const from = random.below(query.length)
  return random.below(3) > 0 ? query : query.slice(from, from + random.between(1, 9))
}

async function searchBothWays(path: string, text: string) {
  const query = parseQuery(text)
  const fast = new TranscriptSearch(query)
  await fast.run(path, { environment: undefined })
  const slow = new TranscriptSearch(query)
  for (const entry of readLogSync(path)) if (entry.kind === 'event') slow.add(entry.event)
  return [fast, slow].map((search) => ({
    hasHit: search.hasHit,
    rank: search.rank,
    excerpt: search.excerpt(String),
  }))
}

// Requirement: 001-72
it('a search by bytes finds what a search by reading finds', async (t) => {
  const random = seededRandom(t)
  let hitCount = 0
  const rounds = runs(150)
  for (let round = 0; round < rounds; round++) {
    const count = random.between(1, 30)
    const lines = Array.from({ length: count }, (_, index) => randomLine(index, random))
    const path = temporaryFile(t, 'log.jsonl', Buffer.concat(lines))
    for (let repeat = 0; repeat < 12; repeat++) {
      const text = randomQuery(random)
      if (text.trim() === '') continue
      let ways: Awaited<ReturnType<typeof searchBothWays>>
      try {
        ways = await searchBothWays(path, text)
      } catch (error) {
        // Nothing but control characters is no query.
        expect(error).toMatchObject({ code: 'ERR_ARG' })
        continue
      }
      expect(ways[0], JSON.stringify(text)).toEqual(ways[1])
      if (ways[1]!.hasHit) hitCount++
    }
  }
  expect(hitCount).toBeGreaterThan(rounds / 2)
})

function mayHold(content: string, term: string): boolean {
  const bytes = line('user', { payload: { content } })
  const length = bytes.length - 1
  const place = { start: 0, end: length, byte_offset: 0, length, line_number: 1 }
  const traits = { isEnded: true, isOversize: false, isKept: false }
  return new LinePrefilter([term]).termsIn({ bytes, ...place, ...traits }) !== 0
}

it('finds every letter of Unicode by its lower case', () => {
  const missed: string[] = []
  for (let code = 0x21; code <= 0x1ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const letter = String.fromCodePoint(code)
    const lower = letter.toLowerCase()
    // Those without case are all alike, so a few of them will do.
    if (lower === letter && letter.toUpperCase() === letter && code % 97 !== 0) continue
    const isSeen = mayHold(`XY${letter}z`, `xy${lower}`)
    const isEndSeen = mayHold(`${letter}XY`, `${[...lower].at(-1)}xy`)
    if (!isSeen || !isEndSeen) missed.push(letter)
  }
  expect(missed).toEqual([])
})

it('finds needles at every position, and only there', (t) => {
  const random = seededRandom(t)
  for (let round = 0; round < runs(3000); round++) {
    const text = Array.from({ length: random.below(40) }, () => random.pick([...'abAB1\n'])).join(
      '',
    )
    const probes = Array.from({ length: random.between(1, 4) }, () =>
      Array.from({ length: random.between(2, 6) }, () => random.pick([...'ab1'])).join(''),
    )
    const start = random.below(text.length + 1)
    const end = start + random.below(text.length - start + 1)
    const looked = text.slice(start, end).toLowerCase()
    const expected = probes.reduce(
      (bits, probe, index) => (looked.includes(probe) ? bits | (1 << index) : bits),
      0,
    )
    const found = new AnyBytesFinder(probes.map((probe) => Buffer.from(probe)))
    expect(found.findIn(Buffer.from(text), start, end), `${probes} in ${looked}`).toBe(expected)
  }
})
