// A log of any size, whole, in memory that goes by the number of its lines and not by its bytes:
// every line is looked at and must prove itself, and none is kept.

import { DistantEvent } from './distant-event.js'
import type { LogEntry } from './entry.js'
import { scanLog } from './scan.js'

/** What the readers yield of the part before `to`, where a line ends, oldest first. */
export function readDistant(path: string, { to }: { to: number }): LogEntry[] {
  const entries: LogEntry[] = []
  const types = new Map<string, string>()
  let last = ''
  scanLog(
    path,
    (line) => {
      if (line.entry !== undefined) {
        entries.push(line.entry)
        return
      }
      const { type, uuid, prev_uuid, byte_offset, length } = line
      // Most events follow the one before them, and there are few types: they share their strings.
      const prev = prev_uuid === last ? last : prev_uuid
      const place = { type: shared(types, type), uuid, prev_uuid: prev, byte_offset, length }
      last = uuid
      entries.push({
        kind: 'event',
        byte_offset,
        length,
        event: new DistantEvent(path, place),
      })
    },
    { to, verify: true, onDamage: (entry) => entries.push(entry) },
  )
  return entries
}

function shared(known: Map<string, string>, text: string): string {
  const earlier = known.get(text)
  if (earlier !== undefined) return earlier
  known.set(text, text)
  return text
}
