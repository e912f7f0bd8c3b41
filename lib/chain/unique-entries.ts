// A uuid that is repeated within one file is shown once: a retried append may have written the same
// message twice. The first entry stays. Removed messages are not shown.

import { type Diagnostic, diagnostic } from '../format/index.js'
import { isGap, type ProjectionEntry } from './projection.js'

type SeenEntry = Extract<ProjectionEntry, { event: unknown }>

export class UniqueEntries {
  readonly entries: ProjectionEntry[] = []
  readonly findings: Diagnostic[] = []
  /** How many of the entries are among the first ones given to the constructor. */
  readonly compactedCount: number
  /** Something that should be shown is missing. */
  hasGap = false
  readonly #uuidsByFile = new Map<string, Set<string>>()

  constructor(entries: readonly ProjectionEntry[], compactedCount: number) {
    let compacted = 0
    for (const [index, entry] of entries.entries()) {
      if (this.push(entry) && index < compactedCount) compacted++
    }
    this.compactedCount = compacted
  }

  push(entry: ProjectionEntry): boolean {
    if (entry.kind === 'event' && entry.removed === true) return false
    if (!isGap(entry) && this.#isRepeated(entry.file, entry.event.uuid)) {
      const { file, byte_offset, event } = entry
      const where = { file, byte_offset, uuid: event.uuid }
      const message = 'An earlier event has the same uuid; this one is left out'
      this.findings.push(diagnostic('duplicate_uuid', message, where))
      return false
    }
    if (entry.kind === 'lost' || entry.kind === 'missing') this.hasGap = true
    this.entries.push(entry)
    return true
  }

  /** The entry that is shown for this uuid: itself, or the first where it is a repetition. */
  shownFor({ file, event }: SeenEntry): ProjectionEntry | undefined {
    return this.entries.findLast(
      (entry) => !isGap(entry) && entry.event.uuid === event.uuid && entry.file === file,
    )
  }

  /** Replaces an entry; does nothing for a repetition, which is not shown. */
  replace(entry: ProjectionEntry, by: ProjectionEntry): void {
    const index = this.entries.lastIndexOf(entry)
    if (index !== -1) this.entries[index] = by
  }

  #isRepeated(file: string, uuid: string): boolean {
    let uuids = this.#uuidsByFile.get(file)
    if (uuids === undefined) {
      uuids = new Set()
      this.#uuidsByFile.set(file, uuids)
    }
    if (uuids.has(uuid)) return true
    uuids.add(uuid)
    return false
  }
}
