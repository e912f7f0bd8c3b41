// Which ids a file has used so far, in a few bytes each: a repeated line is met in files of any size.

import { UuidIndex } from '../log/index.js'

export class SeenIds {
  readonly #index = new UuidIndex()

  /** False when it was there already. */
  add(id: string): boolean {
    if (this.#index.find(id) !== undefined) return false
    this.#index.add(id, 0)
    return true
  }
}
