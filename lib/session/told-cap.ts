// The cap on the bytes of a session's subagents, for those who write one event and go: they look
// at the others when their log grows by another 64 KiB, so the sum may pass it by that for each.

import type { NewEvent } from '../log/index.js'
import { type Layout, SidechainSizes } from '../store/index.js'
import { SIDECHAIN_BYTES_MAX } from './settings.js'
import { capError, LOOK_BYTES } from './sidechain-cap.js'

export interface CappedLog {
  readonly path: string
  /** Whose subagents share the cap. */
  readonly session_id: string
  readonly layout: Layout
  readonly maxBytes?: number | undefined
}

/** ERR_SIDECHAIN_CAP when there is no room for them. How a subagent ends is always written. */
export function refuseBeyondCap(
  events: readonly NewEvent[],
  { path, session_id, layout, maxBytes = SIDECHAIN_BYTES_MAX }: CappedLog,
): void {
  const bytes = Buffer.byteLength(JSON.stringify(events))
  const sizes = new SidechainSizes(layout, session_id)
  const size = sizes.sizeOf(path)
  if (Math.floor(size / LOOK_BYTES) === Math.floor((size + bytes) / LOOK_BYTES)) return
  if (sizes.sumExcept(new Set()) + bytes > maxBytes) throw capError(maxBytes)
}
