// How often an id was written: the first time it is the uuid itself.

import { UuidIndex } from '../../log/index.js'

export class Versions {
  // A few bytes per id, so that files of any size can be read.
  readonly #counts = new UuidIndex()

  has(id: string): boolean {
    return this.#counts.find(id) !== undefined
  }

  /** The uuid of the next version. */
  next(id: string): string {
    const version = (this.#counts.find(id) ?? 0) + 1
    this.#counts.add(id, version)
    return version === 1 ? id : `${id}~v${version}`
  }

  /** A uuid that an earlier import made. */
  recall(uuid: string): void {
    const [, id, version = '1'] = /^(.*?)(?:~v(\d+))?(?:~\d+)?$/s.exec(uuid)!
    this.#counts.add(id!, Math.max(this.#counts.find(id!) ?? 0, Number(version)))
  }
}
