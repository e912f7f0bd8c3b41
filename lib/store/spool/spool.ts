// Events for a session that another process is writing: one small file each, because a new file needs
// no lock. A file gets its name when it is whole. The next process that writes the session appends
// the events, oldest first; by their uuids each becomes one line however often that is tried.
//
// 0.1.0 wrote such a file in place, under its lock: what is empty or locked is not complete yet.

import { basename, join } from 'node:path'
import { toIso } from '../../environment/index.js'
import { isSessionError, toSessionError } from '../../errors.js'
import { diagnostic, fileNameOf, isOnChainType } from '../../format/index.js'
import { AtomicFile, inspectLock, type NewEvent, readLogSync } from '../../log/index.js'
import { encodeEvents } from '../../log/internal.js'
import { idOfFileName } from '../catalog/header-fields.js'
import type { StoreContext } from '../context.js'
import { isLogName, LOG_EXTENSION, listNames } from '../list-logs.js'

/** A file of the spool, complete. */
export interface SpoolFile {
  readonly path: string
  readonly events: readonly NewEvent[]
  /** Lines of it that hold no event. */
  readonly problems: readonly Refusal[]
}

/** Why something of a spool file is not in its log. */
export interface Refusal {
  readonly uuid: string | null
  readonly code: string
  readonly message: string
}

/** Leaves an event for the session's writer; resolves with its uuid once it is on the disk. */
export async function spoolEvent(
  store: StoreContext,
  sessionId: string,
  event: NewEvent,
): Promise<string> {
  const [uuid] = await spoolEvents(store, sessionId, [event])
  return uuid!
}

/** The same for events that belong together. */
export async function spoolEvents(
  { env, layout, logOptions }: StoreContext,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<readonly string[]> {
  const time = toIso(env.now()).replaceAll(':', '-')
  const name = `${fileNameOf(sessionId)}--${time}-${env.host.pid}-${env.newUuid()}.jsonl`
  const named = events.map(({ prev_uuid: _, payloadAt: __, ...event }) => ({
    ...event,
    uuid: event.uuid ?? env.newUuid(),
  }))
  writeWhole(env, join(layout.spool, name), encodeEvents(named, logOptions))
  return named.map(({ uuid }) => uuid)
}

/** The sessions for which something waits. */
export function listSpooled(store: StoreContext): readonly string[] {
  const names = listNames(store, store.layout.spool).sort()
  const sessions = names.flatMap((name) => sessionNameIn(name) ?? [])
  return [...new Set(sessions)].map((name) => idOfFileName(name))
}

/** The files that wait for a session, oldest first. Costs a look into a folder that is usually missing. */
export function listSpoolFiles(store: StoreContext, sessionId: string): string[] {
  const { spool } = store.layout
  const session = fileNameOf(sessionId)
  const names = listNames(store, spool)
  const locks = new Set(names.filter((name) => name.endsWith('.lock')))
  return names
    .filter((name) => sessionNameIn(name) === session)
    .sort()
    .map((name) => join(spool, name))
    .filter((path) => !locks.has(`${basename(path)}.lock`) || !isLocked(store, path))
}

/** `undefined` for a file that another process has taken meanwhile, or has not written yet. */
export function readSpoolFile({ env }: StoreContext, path: string): SpoolFile | undefined {
  const events: NewEvent[] = []
  const problems: Refusal[] = []
  try {
    for (const entry of readLogSync(path, { environment: env })) {
      if (entry.kind === 'event') {
        const { type, ts, uuid, payload } = entry.event
        // Of a type of another program only off-chain events wait, and its link alone says so.
        const link = isOnChainType(type) === undefined ? { prev_uuid: null } : {}
        // Recorded: an older version may have put it there.
        const fields = payload as Record<string, unknown>
        events.push({ type, ts, uuid, payload: fields, ...link, recorded: true })
      } else {
        const message = `bytes ${entry.byte_offset} to ${entry.byte_offset + entry.length} hold no event`
        problems.push({ uuid: null, code: 'ERR_DAMAGED', message })
      }
    }
  } catch (error) {
    if (isSessionError(error, 'ERR_NOT_FOUND')) return undefined
    throw error
  }
  return events.length + problems.length === 0 ? undefined : { path, events, problems }
}

/** What waits for a session, for readers. What cannot be read is reported. */
export function readSpool(store: StoreContext, sessionId: string): NewEvent[] {
  const paths =
    readOrReport(store, store.layout.spool, () => listSpoolFiles(store, sessionId)) ?? []
  return paths.flatMap((path) => {
    return readOrReport(store, path, () => readSpoolFile(store, path))?.events ?? []
  })
}

/** What is wrong with the spool concerns the caller as little as what is in it. */
export function readOrReport<Found>(
  { report }: StoreContext,
  path: string,
  read: () => Found,
): Found | undefined {
  try {
    return read()
  } catch (error) {
    if (!isSessionError(error)) throw error
    report(diagnostic('spool_unreadable', error.message, { file: path }))
    return undefined
  }
}

/** Call it once the events are lines of the session. */
export function removeSpoolFile({ env }: StoreContext, { path }: SpoolFile): void {
  try {
    env.fs.rmSync(path, { force: true })
  } catch (cause) {
    throw toSessionError(cause, 'remove', path)
  }
}

/** What `setAside` writes beside a refused file. */
export interface RefusalNote {
  readonly session: string | null
  readonly refused_at: string
  readonly reasons: readonly Refusal[]
}

/** Moves a file with refused events out of the way, unchanged, with the reasons beside it. */
export function setAside(
  { env, layout }: StoreContext,
  { path }: SpoolFile,
  reasons: readonly Refusal[],
): string {
  const name = basename(path)
  const moved = join(layout.refused, name)
  const session = sessionNameIn(name)
  const note: RefusalNote = {
    session: session === undefined ? null : idOfFileName(session),
    refused_at: toIso(env.now()),
    reasons,
  }
  // The note first: a file without one would not say why it is there.
  writeWhole(env, notePathOf(moved), Buffer.from(`${JSON.stringify(note, null, 2)}\n`))
  try {
    env.fs.renameSync(path, moved)
  } catch (cause) {
    // Another process has moved or taken it.
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
      throw toSessionError(cause, 'move', path)
  }
  return moved
}

/** The file with the reasons for a refused one. */
export function notePathOf(refusedPath: string): string {
  return `${refusedPath.slice(0, -LOG_EXTENSION.length)}.json`
}

// A session may be called like the beginning of another one, so the rest must be what we put there.
const REST = /--\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-\d+-[0-9a-f-]{36}\.jsonl$/

/** The session's part of the name of a waiting file. */
function sessionNameIn(name: string): string | undefined {
  const rest = isLogName(name) ? REST.exec(name) : null
  return rest === null ? undefined : name.slice(0, rest.index)
}

function isLocked({ env }: StoreContext, path: string): boolean {
  return inspectLock(path, { environment: env }).verdict === 'held'
}

function writeWhole(env: StoreContext['env'], path: string, bytes: Buffer): void {
  const file = new AtomicFile(path, env, { replace: true, makeFolder: true })
  try {
    file.write(bytes)
    file.finish()
  } finally {
    file.abandon()
  }
}
