// What a writer checks by hand, against the schemas, which are the definition.

import { describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { findPayloadProblem, PAYLOAD_SHAPES } from '../../lib/format/index.js'
import { payloadSchemas } from '../../lib/format/schemas.js'
import { runs } from '../helpers/effort.js'
import { type Random, seededRandom } from '../helpers/random.js'

type Type = keyof typeof payloadSchemas
const TYPES = Object.keys(payloadSchemas) as Type[]

const VALUES: readonly unknown[] = [
  '',
  'x',
  'u'.repeat(128),
  'u'.repeat(129),
  'a'.repeat(64),
  'A'.repeat(64),
  '2026-01-31T12:00:00.000Z',
  '2026-01-31T12:00:00Z',
  '2024-02-29T23:59:59.123456Z',
  '2023-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2000-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-13-10T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T23:60:00Z',
  '2026-01-31T23:59:60Z',
  '2026-01-31T12:00:00+01:00',
  '2026-01-31T12:00Z',
  0,
  1,
  5,
  6,
  -1,
  1.5,
  511,
  512,
  2 ** 53,
  true,
  false,
  null,
  [],
  {},
  ['x'],
  [1],
  [['u', 1]],
  [['u']],
  [['u', 1, 2]],
  [{ type: 'text' }],
  [{ type: 1 }],
  [{}],
  { x: 1 },
  { x: -1 },
  { x: 'y' },
  'x'.repeat(100_001),
]

/** What a schema of zod is made of. */
interface Definition {
  readonly type: string
  readonly shape: Readonly<Record<string, z.ZodType>>
  readonly innerType: z.ZodType
  readonly element: z.ZodType
  readonly items: readonly z.ZodType[]
  readonly entries: Readonly<Record<string, string>>
}

/** A value that the schema accepts, put together at random. */
function sampleOf(schema: z.ZodType, random: Random): unknown {
  const def = (schema as unknown as { def: Definition }).def
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape)
      return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field, random)]))
    }
    case 'optional':
      return random.below(2) === 0 ? undefined : sampleOf(def.innerType, random)
    case 'nullable':
      return random.below(4) === 0 ? null : sampleOf(def.innerType, random)
    case 'array':
      return Array.from({ length: random.below(3) }, () => sampleOf(def.element, random))
    case 'tuple':
      return def.items.map((item) => sampleOf(item, random))
    case 'enum':
      return random.pick(Object.values(def.entries))
    default:
      return random.pick(goodValues(schema))
  }
}

const goodBySchema = new WeakMap<z.ZodType, readonly unknown[]>()

function goodValues(schema: z.ZodType): readonly unknown[] {
  const known = goodBySchema.get(schema)
  if (known !== undefined) return known
  const good = VALUES.filter((value) => schema.safeParse(value).success)
  goodBySchema.set(schema, good)
  return good
}

/** The same with one value replaced, removed or added, at any depth. */
function spoil(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.below(8) === 0) {
    return random.pick(VALUES)
  }
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
  const key = random.pick([...Object.keys(value), 'another'])
  if (random.below(3) === 0) delete copy[key]
  else copy[key] = spoil(copy[key], random)
  return copy
}

const asRead = (value: unknown) => JSON.parse(JSON.stringify(value)) as object

describe('the hand-made checks and the schemas agree', () => {
  test.for(TYPES)('%s', (type, t) => {
    const random = seededRandom(t)
    const schema = payloadSchemas[type]
    for (let run = 0; run < runs(2000, 80); run++) {
      let payload = asRead(sampleOf(schema, random))
      expect(problemOf(type, payload), JSON.stringify(payload)).toBeUndefined()
      payload = asRead(spoil(payload, random))
      if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) continue
      const isGood = schema.safeParse(payload).success
      const problem = problemOf(type, payload)
      expect(problem === undefined, `${problem}: ${JSON.stringify(payload)}`).toBe(isGood)
    }
  })
})

test('a type of another program has no shape, also one named like a property of objects', () => {
  for (const type of ['acme:note', 'toString', '__proto__']) {
    expect(problemOf(type, {})).toBeUndefined()
  }
})

test('a list that is longer than the schema allows is refused', (t) => {
  const kept = Array.from({ length: 257 }, () => ['u', 1])
  const boundary = asRead(sampleOf(payloadSchemas.compaction_boundary, seededRandom(t)))
  expect(problemOf('compaction_boundary', { ...boundary, kept })).toContain('kept must be')
  expect(problemOf('compaction_boundary', { ...boundary, kept: kept.slice(1) })).toBeUndefined()
})

test('a problem names the field and what belongs there', () => {
  expect(problemOf('tool_call', { x: 1 })).toBe('tool_call_id must be a string that is not empty')
  expect(problemOf('assistant', { content: 1 })).toBe(
    'content must be a string, or a list of blocks with a type',
  )
  expect(problemOf('session_terminator', {})).toContain('end_ts must be a time like')
})

function problemOf(type: string, payload: object): string | undefined {
  const shape = PAYLOAD_SHAPES.get(type)
  return shape && findPayloadProblem(shape, payload)
}
