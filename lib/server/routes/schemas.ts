// What several routes answer with.

import * as z from 'zod'

/** As it is on disk: its fields are snake_case. */
export const event = z.looseObject({
  type: z.unknown(),
  ts: z.unknown(),
  uuid: z.unknown(),
  payload: z.unknown().optional(),
})

const damage = z.object({ reason: z.string(), message: z.string() })
const place = { offset: z.number(), length: z.number() }

/** An event with its payload, or why there is none. */
export const fullEntry = z.union([
  z.strictObject({ ...place, event, clipped: z.literal(true).optional() }),
  z.strictObject({ ...place, damage }),
])

/** A few words of an event. */
export const outlineEntry = z.strictObject({
  ...place,
  uuid: z.string().nullable(),
  prev: z.string().nullable(),
  type: z.string().nullable(),
  ts: z.string().nullable(),
  chain: z.boolean().describe('It is part of the conversation'),
  title: z.string().describe('At most 120 characters of what it says'),
  error: z.literal(true).optional(),
  tool: z.string().optional(),
  calls: z.array(z.string()).optional().describe('The tool calls made here'),
  results: z.array(z.string()).optional().describe('The tool calls answered here'),
  onlyResults: z.literal(true).optional().describe('It holds nothing but results'),
  onlyCalls: z.literal(true).optional().describe('It holds nothing but calls'),
  task: z.string().optional().describe('The subagent it is about'),
  damage: damage.optional(),
})
