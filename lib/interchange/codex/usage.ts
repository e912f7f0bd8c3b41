// Tokens. Newer files have one record for each response; older ones an event that repeats the newest
// figures whenever the limits of the account change.

import { toUsage } from '../import/content.js'
import { fieldsOf } from '../import/fields.js'
import type { ForeignValue } from '../import/importer.js'

const USAGE = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cached_input_tokens',
  cacheWrite: 'cache_write_input_tokens',
}

export class UsageReader {
  #hasRecords = false
  #lastTotal: unknown

  /** Of one response. */
  readRecord(payload: ForeignValue): object | undefined {
    this.#hasRecords = true
    return toUsage(payload['usage'], USAGE)
  }

  /** Of the last response; `undefined` if it was counted before. */
  readCount(event: ForeignValue): object | undefined {
    const { total_token_usage, last_token_usage } = fieldsOf(event['info'])
    const total = fieldsOf(total_token_usage)['total_tokens']
    if (this.#hasRecords || (total !== undefined && total === this.#lastTotal)) return undefined
    this.#lastTotal = total
    return toUsage(last_token_usage, USAGE)
  }

  /** Of a turn, in the events of `codex exec --json`. */
  readTurn(event: ForeignValue): object | undefined {
    return toUsage(event['usage'], USAGE)
  }
}
