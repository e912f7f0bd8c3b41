// Chance that can be had again: the seed comes from TORTURE_SEED, and a test that fails prints it.

import type { TestContext } from 'vitest'

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!
  }
}

export function seededRandom(t: Pick<TestContext, 'onTestFailed'>): Random {
  const given = Number(process.env['TORTURE_SEED'])
  const seed = given > 0 ? given : 1 + Math.floor(Math.random() * 2 ** 31)
  t.onTestFailed(() => {
    process.stderr.write(`To run it again: TORTURE_SEED=${seed}\n`)
  })
  return new Random(seed)
}
