// The account of one import: nothing of the source disappears without a number and a reason.

import type { DropReason, RepairReason } from './importer.js'

export type Counts<Reason extends string> = Readonly<Partial<Record<Reason, number>>>

export class Losses {
  readonly #dropped = new Map<DropReason, number>()
  readonly #repaired = new Map<RepairReason, number>()

  drop(reason: DropReason): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1)
  }

  repair(reason: RepairReason): void {
    this.#repaired.set(reason, (this.#repaired.get(reason) ?? 0) + 1)
  }

  get dropped(): Counts<DropReason> {
    return Object.fromEntries(this.#dropped)
  }

  get repaired(): Counts<RepairReason> {
    return Object.fromEntries(this.#repaired)
  }
}
