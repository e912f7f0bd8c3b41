// Where events wait for a session that somebody else is writing: one small file each, because
// files of one's own need no lock. Whoever writes the session next takes them over, oldest first,
// and by their uuids each of them becomes one line however often that is tried.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileNameOf } from '../format/index.js'
import { appendOnce, type NewEvent, newUuid, readLogSync } from '../log/index.js'
import type { Layout } from './layout.js'
import { logNamesIn } from './log-names.js'

export interface Spooled {
  readonly events: readonly NewEvent[]
  /** Call it once the events are lines of the session. */
  remove(): void
}

const NOTHING: Spooled = { events: [], remove: () => {} }

/** Leaves an event for the session's writer; resolves with its uuid once it is on the disk. */
export async function spoolEvent(
  layout: Layout,
  sessionId: string,
  event: NewEvent,
): Promise<string> {
  const uuid = event.uuid ?? newUuid()
  const time = new Date().toISOString().replaceAll(':', '-')
  const name = `${fileNameOf(sessionId)}--${time}-${process.pid}-${newUuid()}.jsonl`
  const { prev_uuid: _, ...rest } = event
  await appendOnce(join(layout.spool, name), [{ ...rest, uuid }], { durability: 'always' })
  return uuid
}

/** What waits for a session, oldest first. Costs a look into a folder that is usually not there. */
export function readSpool(layout: Layout, sessionId: string): Spooled {
  const prefix = `${fileNameOf(sessionId)}--`
  const names = logNamesIn(layout.spool).filter((name) => name.startsWith(prefix))
  if (names.length === 0) return NOTHING
  const paths = names.map((name) => join(layout.spool, name))
  return {
    events: paths.flatMap(eventsOf),
    remove: () => {
      for (const path of paths) rmSync(path, { force: true })
    },
  }
}

function eventsOf(path: string): NewEvent[] {
  return [...readLogSync(path)].flatMap((entry) => {
    if (entry.kind !== 'event') return []
    const { type, ts, uuid, payload } = entry.event
    return [{ type, ts, uuid, payload: payload as Record<string, unknown> }]
  })
}
