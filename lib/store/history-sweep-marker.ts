// When the history was last swept, kept beside it. Losing it costs nothing: the next sweep comes
// sooner.

import { isSessionError } from '../errors.js'
import { readLogSync, writeAtomically } from '../log/index.js'

export function markSwept(path: string, sweptAt: string, files: readonly string[]): void {
  writeAtomically(path, `${JSON.stringify({ swept_at: sweptAt, removed: files })}\n`)
}

/** Whether it was swept in the calendar month of this time, both in UTC. */
export function isSweptInMonth(path: string, time: string): boolean {
  return sweptAt(path)?.slice(0, 7) === time.slice(0, 7)
}

function sweptAt(path: string): string | undefined {
  try {
    for (const entry of readLogSync(path, { isBare: true })) {
      if (entry.kind !== 'event') return undefined
      const { swept_at } = entry.event as unknown as { swept_at?: unknown }
      return typeof swept_at === 'string' ? swept_at : undefined
    }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
  return undefined
}
