// A new session: its file and its header are on the disk before the caller gets the handle.

import type { ProjectionStart } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import { MEMORY_SCHEME, MemoryLog, openLog, openMemoryLog } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'
import { SessionContinuity } from '../checkpoints/session-checkpoints.js'
import { SessionFiles } from '../files/file-rewind.js'
import { newHeader, type Origin, type SessionFacts } from '../header.js'
import { Lazy } from '../lazy.js'
import { MetaKeeper, observersFor, SessionView } from '../live-view.js'
import { PromptHistory } from '../prompt-history.js'
import { Session } from '../session.js'
import { assertSessionOptions, logOptionsOf, type SessionOptions, settingsOf } from '../settings.js'
import { closeOnSignal } from '../signals.js'
import { announceInMemory, storageInMemory, storageOnDisk } from '../storage.js'
import type { OpenParts } from '../types.js'

export interface CreateSessionOptions extends SessionOptions, SessionFacts {
  /**
   * The session key: the id of the session and the name of its file.
   *
   * @default a new random uuid
   */
  id?: string | undefined
}

/** Creates a session. Throws ERR_EXISTS where one of that id exists. */
export function createSession(
  store: StoreContext,
  options: CreateSessionOptions = {},
): Promise<Session> {
  return createFrom(store, options, {})
}

/** Creates a session that continues another one: `start` is what its projection begins with. */
export async function createFrom(
  store: StoreContext,
  options: CreateSessionOptions,
  origin: Origin & { start?: ProjectionStart | undefined },
): Promise<Session> {
  assertSessionOptions(options)
  const { project, persist = true } = options
  const id = normalizeSessionKey(options.id ?? store.env.newUuid())
  const parts = await openNew(store, id, { ...options, persist, start: origin.start })
  const { log } = parts
  try {
    // Checked under the lock: an empty file is one whose writer died before its first line.
    if (log.size > 0) throw existsError(id, log.path)
    await log.append(newHeader(store, id, options, origin))
  } catch (error) {
    await log.close().catch(() => {})
    throw error
  }
  return assembleSession(store, { id, project, ...parts }, options)
}

async function openNew(
  store: StoreContext,
  id: string,
  { start, ...options }: CreateSessionOptions & { start: ProjectionStart | undefined },
): Promise<OpenParts> {
  const path = options.persist ? store.layout.transcriptPath(id) : MEMORY_SCHEME + id
  const view: SessionView = new SessionView(path, () => storage.load(), start)
  const meta = new MetaKeeper()
  const logOptions = { ...logOptionsOf(store, options), ...observersFor(view, meta) }
  const log = options.persist ? await openLog(path, logOptions) : openMemoryLog(id, logOptions)
  const storage =
    log instanceof MemoryLog ? storageInMemory(log, start) : storageOnDisk(store, path)
  return { log, view, meta, storage, isNew: true }
}

type NamedParts = OpenParts & { readonly id: string; readonly project: string | undefined }

export function assembleSession(
  store: StoreContext,
  parts: NamedParts,
  options: SessionOptions & SessionFacts,
): Session {
  const { id, project, storage, log } = parts
  const endings: (() => void)[] = []
  const onClosed = () => {
    for (const end of endings) end()
  }
  const settings = { ...settingsOf(store, options), onClosed }
  const { isPersistent } = storage
  const hasContinuity = isPersistent && options.continuity !== false
  const continuity = hasContinuity
    ? new Lazy(() => new SessionContinuity(store, { ...parts, ...continuityOf(options) }))
    : undefined
  const files = new Lazy<SessionFiles>(
    () =>
      new SessionFiles(store, {
        sessionId: id,
        path: log.path,
        project,
        isPersistent,
        tip: () => log.tip,
        flush: () => log.flush(),
        textHash: () => continuity?.made?.hash ?? null,
        append: (event) => session.append(event),
      }),
  )
  const session: Session = new Session({
    ...parts,
    history: isPersistent ? new Lazy(() => historyOf(store, parts, options)) : undefined,
    continuity,
    files,
    settings,
  })
  if (!isPersistent) endings.push(announceInMemory(id))
  if (options.handleSignals === true) {
    endings.push(closeOnSignal(store.env.host, () => session.closeSync('signal')))
  }
  return session
}

function continuityOf({ continuity, harness }: SessionOptions & SessionFacts) {
  return { harness, options: continuity === false ? undefined : continuity }
}

function historyOf(
  store: StoreContext,
  { id, project }: NamedParts,
  options: SessionOptions,
): PromptHistory {
  // The transcript has been synced by then: waiting for a second sync would keep nothing safer.
  const durability = options.durability === 'always' ? 'always' : 'none'
  return new PromptHistory(store, id, { durability, project, lineNumbers: false })
}

export function existsError(id: string, path: string): SessionError {
  return new SessionError('ERR_EXISTS', `Session "${id}" already exists`, { id, path })
}
