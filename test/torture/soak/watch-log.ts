// A log that others write while they are tortured, and what is found in it afterwards.

import { type Ack, AppendOnlyWitness, exceptDamage, problemsOf } from '../check.js'
import type { Child } from '../child.js'
import type { LaneContext } from './lane.js'
import { within } from './within.js'

export class WatchedLog {
  readonly path: string
  readonly #context: LaneContext
  readonly #witness: AppendOnlyWitness
  readonly #acks: Ack[] = []

  /** Whether its writers are to take the kernel lock. */
  readonly hasKernelLock: boolean

  constructor(path: string, context: LaneContext, { hasKernelLock }: { hasKernelLock: boolean }) {
    this.path = path
    this.#context = context
    this.hasKernelLock = hasKernelLock
    this.#witness = new AppendOnlyWitness(path)
  }

  /** To be called while no process writes. */
  look(): void {
    this.#witness.look()
  }

  /** Takes what a dead child had acknowledged. */
  take(child: Child): void {
    this.#acks.push(...child.acks)
    for (const code of child.refusals) this.#context.harm('untyped', `a writer gave up: ${code}`)
  }

  /** Counts what is wrong with the log. */
  check(): void {
    const wrong = exceptDamage(problemsOf(this.path, this.#acks))
    for (const problem of wrong) {
      const harm = problem.what === 'lost' || problem.what === 'misplaced' ? 'lost' : 'altered'
      this.#context.harm(harm, JSON.stringify(problem))
    }
    for (const change of this.#witness.changes()) {
      this.#context.harm('altered', `bytes changed ${JSON.stringify(change)}`)
    }
    this.#context.done(0, this.#acks.length)
  }

  /** Waits, but not for ever. */
  within<Result>(promise: Promise<Result>, what: string): Promise<Result | undefined> {
    return within(promise, this.#context, what)
  }
}
