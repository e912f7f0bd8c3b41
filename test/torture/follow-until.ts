// What a follower sees of a log, and what the log contains.

import { type FollowOptions, followLog, readLogSync } from '../../lib/log/index.js'

/** Uuids in the order in which they were seen; ends after so many entries, or by its signal. */
export async function followUntil(
  path: string,
  count: number,
  options: FollowOptions,
): Promise<string[]> {
  const seen: string[] = []
  for await (const entry of followLog(path, options)) {
    seen.push(entry.kind === 'event' ? entry.event.uuid : entry.kind)
    if (seen.length === count) break
  }
  return seen
}

export function uuidsOf(path: string): string[] {
  return [...readLogSync(path)].map((entry) =>
    entry.kind === 'event' ? entry.event.uuid : entry.kind,
  )
}
