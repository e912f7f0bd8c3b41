// Events for a session that another process is writing: one small file each, because a new file needs
// no lock. The next process that writes the session appends them, oldest first; by their uuids each
// becomes one line however often that is tried.

import { join } from 'node:path'
import { toIso } from '../../environment/index.js'
import { fileNameOf } from '../../format/index.js'
import { appendOnce, type NewEvent, readLogSync, type TrailingEvent } from '../../log/index.js'
import { idOfFileName } from '../catalog/header-fields.js'
import { isUnreadable, readTranscriptInfo } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { listLogNames } from '../list-logs.js'

export interface Spooled {
  readonly events: readonly NewEvent[]
  /** Call it once the events are lines of the session. */
  remove(): void
}

const NOTHING: Spooled = { events: [], remove: () => {} }

/** Leaves an event for the session's writer; resolves with its uuid once it is on the disk. */
export async function spoolEvent(
  store: StoreContext,
  sessionId: string,
  event: NewEvent,
): Promise<string> {
  const [uuid] = await spoolEvents(store, sessionId, [event])
  return uuid!
}

/** The same for events that belong together: they are taken over together. */
export async function spoolEvents(
  store: StoreContext,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<readonly string[]> {
  const { env, layout, logOptions } = store
  const time = toIso(env.now()).replaceAll(':', '-')
  const name = `${fileNameOf(sessionId)}--${time}-${env.host.pid}-${env.newUuid()}.jsonl`
  const named = events.map(({ prev_uuid: _, payloadAt: __, ...event }) => ({
    ...event,
    uuid: event.uuid ?? env.newUuid(),
  }))
  await appendOnce(join(layout.spool, name), named, {
    ...logOptions,
    durability: 'always',
    lineNumbers: false,
  })
  return named.map(({ uuid }) => uuid)
}

/** The sessions for which something waits. */
export function listSpooled(store: StoreContext): readonly string[] {
  const names = listLogNames(store, store.layout.spool)
  const sessions = names.flatMap((name) => sessionNameIn(name) ?? [])
  return [...new Set(sessions)].map((name) => idOfFileName(name))
}

/** What waits for a session, oldest first. Costs a look into a folder that is usually not there. */
export function readSpool(store: StoreContext, sessionId: string): Spooled {
  const { spool } = store.layout
  const session = fileNameOf(sessionId)
  const names = listLogNames(store, spool).filter((name) => sessionNameIn(name) === session)
  if (names.length === 0) return NOTHING
  const paths = names.map((name) => join(spool, name))
  return {
    events: paths.flatMap((path) => readEvents(store, path)),
    remove: () => {
      for (const path of paths) store.env.fs.rmSync(path, { force: true })
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

function readEvents({ env }: StoreContext, path: string): NewEvent[] {
  return [...readLogSync(path, { environment: env })].flatMap((entry) => {
    if (entry.kind !== 'event') return []
    const { type, ts, uuid, payload } = entry.event
    return [{ type, ts, uuid, payload: payload as Record<string, unknown> }]
  })
}

// A title is repeated while a transcript grows, so that a listing finds it in the last 64 KiB. A
// session that is open knows where its title is; an append of one event goes by the length of the file.

/** The most bytes after a title, except for the last write. */
export const TITLE_STRIDE_BYTES = 48 * 1024

/** For appends to a transcript that no process keeps open. */
export function repeatTitle(store: StoreContext, path: string): TrailingEvent {
  return ({ lines, start, end }) => {
    if (strideOf(start) === strideOf(end) || lines.some(mayBeTitle)) return undefined
    return findTitleEvent(store, path)
  }
}

/** After such a line no title may be repeated: its own must stay the last. */
export function mayBeTitle({ type }: { readonly type: string }): boolean {
  return type === 'session_meta'
}

/** The event that repeats the title, if the session was given one. */
export function findTitleEvent(store: StoreContext, path: string): NewEvent | undefined {
  const digest = readTranscriptInfo(store, path)
  if (isUnreadable(digest) || digest.titleSource === null) return undefined
  const { title, titleSource: title_source } = digest
  if (title === null || title_source === 'prompt') return undefined
  return { type: 'session_meta', payload: { title, title_source } }
}

function strideOf(bytes: number): number {
  return Math.floor(bytes / TITLE_STRIDE_BYTES)
}
