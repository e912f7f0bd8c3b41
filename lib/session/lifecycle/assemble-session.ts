// What createSession and resumeSession share: a session is put together around its open log. Parts
// that a short-lived session may never use are made when they are first needed.

import { deriveContinuity } from '../../continuity/index.js'
import { SessionError } from '../../errors.js'
import type { LogHandle } from '../../log/index.js'
import { findNewestCheckpoint, type StoreContext } from '../../store/index.js'
import { SessionContinuity } from '../checkpoints/session-checkpoints.js'
import { SessionFiles } from '../files/session-files.js'
import type { SessionFacts } from '../header.js'
import { Lazy } from '../lazy.js'
import type { SessionView, TitleKeeper } from '../live-view.js'
import { PromptHistory } from '../prompt-history.js'
import { Session } from '../session.js'
import { type SessionOptions, settingsOf } from '../settings.js'
import { closeOnSignal } from '../signals.js'
import { announceInMemory, type SessionStorage } from '../storage.js'
import { previousRun } from './previous-run.js'

/** What a session is made of, once its log is open. */
export interface OpenParts {
  readonly log: LogHandle
  readonly view: SessionView
  readonly title: TitleKeeper
  readonly storage: SessionStorage
  readonly isNew: boolean
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
  const continuity = hasContinuity ? new Lazy(() => continuityOf(store, parts, options)) : undefined
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
    previousRun: parts.isNew ? undefined : previousRun(store, id, log),
    settings,
  })
  if (!isPersistent) endings.push(announceInMemory(id))
  if (options.handleSignals === true) {
    endings.push(closeOnSignal(store.env.host, () => session.closeSync('signal')))
  }
  return session
}

function continuityOf(
  store: StoreContext,
  { id, log, view, isNew }: NamedParts,
  { continuity, harness }: SessionOptions & SessionFacts,
): SessionContinuity {
  return new SessionContinuity(store, {
    sessionId: id,
    log,
    start: (to) => {
      const query = { session: id, hasTranscriptOffset: true }
      const latest = isNew ? undefined : findNewestCheckpoint(store, query).newest
      const facts = { sessionKey: id, agentId: store.agent, harness }
      return deriveContinuity(log.path, {
        to,
        latest: latest?.checkpoint,
        facts,
        environment: store.env,
      })
    },
    cycle: () => view.projection.lastBoundary?.uuid ?? null,
    options: continuity === false ? undefined : continuity,
  })
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
  return new SessionError('ERR_EXISTS', `A session "${id}" exists already`, { id, path })
}
