// Fields that several routes take.

import * as z from 'zod'

export const sessionKey = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .describe('The key of a session, with or without `session:` before it')

export const agentId = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .optional()
  .describe('Whose sessions; a token of one agent may name no other')

export const project = z
  .string()
  .min(1)
  .max(4096)
  .describe('The folder of the work, in any spelling')

/** A whole number in a query. */
export function count(least: number, most: number) {
  return z.coerce.number().int().min(least).max(most)
}

export const sessionId = z.string().trim().min(1).max(1000).describe('The id of a session')

export const eventUuid = z.string().min(1).max(1000)

/** 1 or 0 in a query; 0 where it is absent. */
export function flag(description: string) {
  return z
    .enum(['0', '1'])
    .optional()
    .describe(description)
    .transform((value) => value === '1')
}
