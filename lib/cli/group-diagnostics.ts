// Many findings of one kind are one remark: a history of another tool may have thousands of lines
// without a checksum.

import type { Diagnostic } from '../format/index.js'
import type { Notes } from './notes.js'

export type DiagnosticGroups = ReturnType<typeof groupDiagnostics>

/** Takes findings, and tells the first of each kind and how many more there were. */
export function groupDiagnostics(notes: Notes) {
  const groups = new Map<string, { first: Diagnostic; count: number }>()
  return {
    get isEmpty(): boolean {
      return groups.size === 0
    },
    take(diagnostic: Diagnostic): void {
      const group = groups.get(diagnostic.code)
      if (group === undefined) groups.set(diagnostic.code, { first: diagnostic, count: 1 })
      else group.count++
    },
    tell(): void {
      for (const { first, count } of groups.values()) {
        const more = count === 1 ? '' : ` (and ${count - 1} more of the kind)`
        notes.tell({ ...first, message: `${placeOf(first)}${first.message}${more}` })
      }
    },
  }
}

function placeOf({ file, byte_offset }: Diagnostic): string {
  if (file === undefined) return ''
  return byte_offset === undefined ? `${file}: ` : `${file}, byte ${byte_offset}: `
}
