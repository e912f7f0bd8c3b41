// How many requests a token may send: a bucket for each, which a request takes one from and which fills
// again with time.

import type { Environment } from '../../environment/index.js'
import { SessionError } from '../../errors.js'

/** The seconds of requests that may come at once. */
const BURST_SECONDS = 10

interface Bucket {
  left: number
  filledAt: number
}

export class RateLimit {
  readonly #perSecond: number
  readonly #env: Pick<Environment, 'monotonicNow'>
  readonly #buckets = new Map<string, Bucket>()

  /** `perSecond` 0: no limit. The names are those of the tokens, so they are few. */
  constructor(perSecond: number, env: Pick<Environment, 'monotonicNow'>) {
    this.#perSecond = perSecond
    this.#env = env
  }

  /** Throws ERR_RATE_LIMITED with the seconds to wait. */
  take(name: string): void {
    if (this.#perSecond === 0) return
    const now = this.#env.monotonicNow()
    const most = Math.max(1, this.#perSecond * BURST_SECONDS)
    const bucket = this.#buckets.get(name) ?? { left: most, filledAt: now }
    const earned = ((now - bucket.filledAt) / 1000) * this.#perSecond
    const left = Math.min(most, bucket.left + earned)
    const isEmpty = left < 1
    this.#buckets.set(name, { left: isEmpty ? left : left - 1, filledAt: now })
    if (!isEmpty) return
    const retryAfterSeconds = Math.ceil((1 - left) / this.#perSecond)
    const what = `This token sends more than ${this.#perSecond} requests per second`
    throw new SessionError('ERR_RATE_LIMITED', what, { retryAfterSeconds })
  }
}
