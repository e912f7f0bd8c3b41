// What several tools take, described for the model that fills it in.

import * as z from 'zod'

const KEY_CHARS_MAX = 1000

const key = z.string().trim().min(1).max(KEY_CHARS_MAX)

export const sessionKey = key
  .optional()
  .describe('The session it is about. Leave it out for the session you are in.')

export const previousSessionKey = key.optional().describe('The session that this one follows.')

export const project = z
  .string()
  .min(1)
  .max(4096)
  .optional()
  .describe('The folder of the work. Leave it out for the folder you work in.')

export const source = z
  .enum(['startup', 'resume', 'compact', 'fork', 'clear'])
  .optional()
  .describe('How the session came to start. "compact" after your context was compacted.')

export const text = z.string().trim().min(1).max(100_000)

export const runId = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .optional()
  .describe('The same for every attempt of one run: what it stored before is not stored again.')
