// A summarizer that fails again and again is left alone for a while, so that nobody waits for it
// every time.

import type { CompactionSettings } from './policy.js'

export class Breaker {
  readonly #threshold: number
  readonly #resetMs: number
  readonly #now: () => number
  #failures = 0
  #lastFailure = 0

  /** A threshold of 0 means: never leave it alone. */
  constructor(
    {
      failureThreshold,
      resetMinutes,
    }: Pick<CompactionSettings, 'failureThreshold' | 'resetMinutes'>,
    now: () => number,
  ) {
    this.#threshold = failureThreshold
    this.#resetMs = resetMinutes * 60_000
    this.#now = now
  }

  get isOpen(): boolean {
    if (this.#threshold === 0 || this.#failures < this.#threshold) return false
    const age = this.#now() - this.#lastFailure
    // A clock that was set back must not keep it waiting for hours.
    if (age <= this.#resetMs && age >= 0) return true
    this.#failures = 0
    return false
  }

  get failures(): number {
    return this.#failures
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(): void {
    this.#failures++
    this.#lastFailure = this.#now()
  }
}
