// Which entry of a projection a uuid means: the last with that uuid, those of the file that names
// it before those of its ancestors, because uuids are unique within one file only.

import { type ProjectionEntry, uuidOf } from './projection.js'

/** There is no such entry. */
export const MISSING = -1
/** There is none among those that were read; it may stand in the part that was not. */
export const UNREAD = -2
/** As above; if it does not, an ancestor's entry among those that were read is meant. */
export const EITHER = -3

/** The index of the entry, or one of the above. */
export function findEntry(
  entries: readonly ProjectionEntry[],
  uuid: unknown,
  file: string,
): number {
  if (typeof uuid !== 'string') return MISSING
  let ancestral = MISSING
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]!
    if (uuidOf(entry) !== uuid) continue
    if (entry.file === file) return index
    if (ancestral === MISSING) ancestral = index
  }
  const opaque = entries[0]?.kind === 'opaque' ? entries[0] : undefined
  if (opaque === undefined) return ancestral
  if (ancestral === MISSING) return UNREAD
  return opaque.file === file ? EITHER : ancestral
}
