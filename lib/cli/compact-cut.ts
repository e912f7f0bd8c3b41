// Where the caller wants a conversation to be cut.

import type { PlanOptions } from '../compaction/index.js'
import { type Parsed, UsageError } from './command.js'

export function cutOf(call: Parsed): PlanOptions {
  const keep = call.value('keep')
  const from = call.value('from')
  const upTo = call.value('up-to')
  if (keep === undefined) return { from, upTo }
  const [, digits] = /^(\d+(?:\.\d+)?)%?$/.exec(keep.trim()) ?? []
  const keepPercent = Number(digits)
  if (!(keepPercent <= 100)) throw new UsageError(`--keep takes a share like 30%, not "${keep}"`)
  // Whoever says how much is not told that it must be more.
  return { keepPercent, minKeepMessages: 1 }
}
