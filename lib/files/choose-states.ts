// Which recorded state of each file counts for a moment of a session. Pure.
//
// Files are saved before they are changed. So what a file was at a moment is what the first
// checkpoint after it says; of a file that was not saved since, the last one before it.

import type { SavedFile } from './manifest.js'

export interface DatedFiles {
  /** Recorded after the moment that is asked for. */
  readonly isAfter: boolean
  readonly files: readonly SavedFile[]
}

export interface ChosenState {
  readonly wanted: SavedFile
  /** All contents that are kept of this file. */
  readonly known: ReadonlySet<string>
  /** Of the largest of them. */
  readonly knownBytes: number
}

/** `checkpoints` in the order in which they were recorded. */
export function chooseStates(checkpoints: Iterable<DatedFiles>): Map<string, ChosenState> {
  const found = new Map<string, Found>()
  for (const { isAfter, files } of checkpoints) {
    for (const file of files) {
      const before = found.get(file.path)
      const known = before?.known ?? new Set()
      if (file.sha256 !== null) known.add(file.sha256)
      const isLate = before?.isAfter === true
      found.set(file.path, {
        wanted: isLate ? before.wanted : file,
        isAfter: isLate || isAfter,
        known,
        knownBytes: Math.max(before?.knownBytes ?? 0, file.bytes ?? 0),
      })
    }
  }
  return found
}

interface Found extends ChosenState {
  readonly isAfter: boolean
  readonly known: Set<string>
}
