// Where events wait for a session that somebody else is writing: one small file each, because
// files of one's own need no lock. Whoever writes the session next takes them over, oldest first,
// and by their uuids each of them becomes one line however often that is tried.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileNameOf } from '../format/index.js'
import { appendOnce, type NewEvent, newUuid, readLogSync } from '../log/index.js'
import type { Layout } from './layout.js'
import { logNamesIn } from './log-names.js'
import { idOfFileName } from './session-digest-header.js'

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
  const [uuid] = await spoolEvents(layout, sessionId, [event])
  return uuid!
}

/** The same for events that belong together: they are taken over together. */
export async function spoolEvents(
  layout: Layout,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<readonly string[]> {
  const time = new Date().toISOString().replaceAll(':', '-')
  const name = `${fileNameOf(sessionId)}--${time}-${process.pid}-${newUuid()}.jsonl`
  const named = events.map(({ prev_uuid: _, payloadAt: __, ...event }) => ({
    ...event,
    uuid: event.uuid ?? newUuid(),
  }))
  await appendOnce(join(layout.spool, name), named, { durability: 'always', lineNumbers: false })
  return named.map(({ uuid }) => uuid)
}

/** The sessions for which something waits. */
export function listSpooled(layout: Layout): readonly string[] {
  const names = logNamesIn(layout.spool)
  const sessions = names.flatMap((name) => sessionNameIn(name) ?? [])
  return [...new Set(sessions)].map((name) => idOfFileName(name))
}

/** What waits for a session, oldest first. Costs a look into a folder that is usually not there. */
export function readSpool(layout: Layout, sessionId: string): Spooled {
  const session = fileNameOf(sessionId)
  const names = logNamesIn(layout.spool).filter((name) => sessionNameIn(name) === session)
  if (names.length === 0) return NOTHING
  const paths = names.map((name) => join(layout.spool, name))
  return {
    events: paths.flatMap(eventsOf),
    remove: () => {
      for (const path of paths) rmSync(path, { force: true })
    },
  }
}

// A session may be called like the beginning of another one, so the rest must be what we put there.
const REST = /--\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-\d+-[0-9a-f-]{36}\.jsonl$/

/** The session's part of the name of a waiting file. */
function sessionNameIn(name: string): string | undefined {
  const rest = REST.exec(name)
  return rest === null ? undefined : name.slice(0, rest.index)
}

function eventsOf(path: string): NewEvent[] {
  return [...readLogSync(path)].flatMap((entry) => {
    if (entry.kind !== 'event') return []
    const { type, ts, uuid, payload } = entry.event
    return [{ type, ts, uuid, payload: payload as Record<string, unknown> }]
  })
}
