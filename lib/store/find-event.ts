// One event of a transcript by its uuid, by a scan that parses only the line it finds.

import type { PlacedEvent } from '../chain/index.js'
import { indexUuids, readLogSync } from '../log/index.js'

/** The last one of that uuid. */
export function findEvent(
  path: string,
  uuid: string,
): (PlacedEvent & { length: number }) | undefined {
  const offset = indexUuids(path, { verify: true }).find(uuid)
  if (offset === undefined) return undefined
  for (const entry of readLogSync(path, { from: offset })) {
    if (entry.kind === 'event' && entry.event.uuid === uuid) return entry
  }
  return undefined
}
