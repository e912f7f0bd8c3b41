// When the disk is asked before an append is acknowledged.

import type { Draft } from './draft.js'

/**
 * When an append is safe from more than the death of its process:
 *
 * - `none`: never on purpose; the operating system has the bytes, the disk gets them some time
 * - `turn`: synced at prompts, tool intents, boundaries, turn ends, checkpoints and close
 * - `always`: every append is synced before it is acknowledged
 *
 * Under each of them an acknowledged event is a whole line of the file.
 */
export type Durability = 'none' | 'turn' | 'always'

export function isSyncDue(durability: Durability, drafts: readonly Draft[]): boolean {
  if (durability === 'none') return false
  return durability === 'always' || drafts.some(({ isSyncPoint }) => isSyncPoint)
}
