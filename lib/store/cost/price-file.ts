// A file with prices of the user. Loaded only where one is named: zod takes longer to load than most
// commands run.

import { z } from 'zod'
import { SessionError } from '../../errors.js'
import type { StoreContext } from '../context.js'
import { readSmallText } from '../read-small-text.js'

const FILE_BYTES_MAX = 1024 * 1024

const price = z.number().nonnegative()

const SCHEMA = z.strictObject({
  $schema: z.string().optional(),
  /** Dollars per million tokens, by the name of the model; a name may end in `*`. */
  models: z.record(
    z.string().min(1),
    z.strictObject({
      input: price,
      output: price,
      cacheRead: price.optional(),
      cacheWrite: price.optional(),
      cacheWriteHour: price.optional(),
    }),
  ),
})

export type PriceFile = z.infer<typeof SCHEMA>

/** Throws ERR_ARG with the path of each value that is wrong. */
export function readPriceFile(store: StoreContext, path: string): PriceFile {
  const text = readSmallText(store, path, FILE_BYTES_MAX).toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const { message } = cause as Error
    throw new SessionError('ERR_ARG', `${path} is not JSON: ${message}`, { path, cause })
  }
  const parsed = SCHEMA.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`,
  )
  throw new SessionError('ERR_ARG', `${path} has wrong prices: ${problems.join('; ')}`, { path })
}
