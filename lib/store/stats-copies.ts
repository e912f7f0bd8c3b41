// Which events of a fork were copied from its source, and so were counted there. A source that is
// gone leaves them to the first of its forks.

import type { Envelope } from '../format/index.js'
import type { StatsFile } from './stats-files.js'

const NONE = () => false

export class ForkCopies {
  /** Of each family of forks, the events that were met. */
  readonly #met = new Map<string, Set<string>>()

  /** To be asked of every event of the file, in order; sources come before their forks. */
  of({ family, copiedTo }: StatsFile): (envelope: Envelope) => boolean {
    if (family === undefined) return NONE
    const met = this.#met.get(family) ?? new Set()
    this.#met.set(family, met)
    let isCopying = copiedTo !== undefined
    return ({ uuid, type }) => {
      // Behind the copied part stand only better texts of its summaries.
      const mayBeCopy = isCopying || (copiedTo !== undefined && type === 'summary_revision')
      const isCopy = mayBeCopy && met.has(uuid)
      if (uuid === copiedTo) isCopying = false
      met.add(uuid)
      return isCopy
    }
  }
}
