// What all ways to a session share: a log under its lease, watched by the view and the title.

import { deriveContinuity } from '../continuity/index.js'
import { SessionError } from '../errors.js'
import type { LogHandle, LogObserver, LogOptions } from '../log/index.js'
import { findNewestCheckpoint } from '../store/index.js'
import { earlierEnd } from './earlier-end.js'
import type { SessionFacts } from './header.js'
import { PromptHistory } from './prompt-history.js'
import { Session } from './session.js'
import { SessionContinuity } from './session-continuity.js'
import { SessionFiles } from './session-files.js'
import { type SessionOptions, settingsOf } from './settings.js'
import { closeOnSignal } from './signals.js'
import { announceInMemory, type SessionStorage } from './storage.js'
import type { TitleKeeper } from './title.js'
import type { SessionView } from './view.js'

export function watchedBy(
  view: SessionView,
  title: TitleKeeper,
): Pick<LogOptions, 'observer' | 'trailer'> {
  const observer: LogObserver = {
    wrote(event, byteOffset) {
      view.wrote(event, byteOffset)
      title.observe(event, byteOffset)
    },
    foreign: () => view.foreign(),
  }
  return { observer, trailer: title.trailer }
}

/** What a session is made of, once its log is open. */
export interface OpenParts {
  readonly log: LogHandle
  readonly view: SessionView
  readonly title: TitleKeeper
  readonly storage: SessionStorage
  readonly isNew: boolean
}

export function sessionOf(
  parts: OpenParts & { readonly id: string; readonly project: string | undefined },
  options: SessionOptions & SessionFacts,
): Session {
  const { id, project, storage } = parts
  const endings: (() => void)[] = []
  const onClosed = () => {
    for (const end of endings) end()
  }
  const history = storage.isPersistent ? historyOf(id, project, options) : undefined
  const settings = { ...settingsOf(options), onClosed }
  const continuity = storage.isPersistent ? continuityOf(parts, options) : undefined
  const files: SessionFiles = new SessionFiles({
    sessionId: id,
    path: parts.log.path,
    project,
    layout: settings.layout,
    isPersistent: storage.isPersistent,
    tip: () => parts.log.tip,
    flush: () => parts.log.flush(),
    textHash: () => continuity?.hash ?? null,
    append: (event) => session.append(event),
    report: settings.report,
  })
  const { root, home, agent, environment } = options
  const place = { root, home, agent, environment }
  const earlier = parts.isNew ? undefined : earlierEnd(id, parts.log, place)
  const session: Session = new Session({ ...parts, history, continuity, files, earlier, settings })
  if (!storage.isPersistent) endings.push(announceInMemory(id))
  if (options.handleSignals === true) {
    endings.push(closeOnSignal(() => session.closeSync('signal')))
  }
  return session
}

function continuityOf(
  { id, log, view, isNew }: OpenParts & { readonly id: string },
  options: SessionOptions & SessionFacts,
): SessionContinuity | undefined {
  if (options.continuity === false) return undefined
  const { root, home, agent, lockTimeoutMs, useKernelLock, onDiagnostic, environment } = options
  const place = { root, home, agent, environment }
  return new SessionContinuity({
    sessionId: id,
    log,
    start: (to) => {
      const query = { ...place, session: id, isPlaced: true }
      const latest = isNew ? undefined : findNewestCheckpoint(query).newest
      const facts = { sessionKey: id, agentId: agent, harness: options.harness }
      return deriveContinuity(log.path, { to, latest: latest?.checkpoint, facts })
    },
    cycle: () => view.projection.lastBoundary?.uuid ?? null,
    options: options.continuity,
    store: { ...place, lockTimeoutMs, useKernelLock, onDiagnostic },
    report: onDiagnostic ?? (() => {}),
  })
}

function historyOf(
  sessionId: string,
  project: string | undefined,
  options: SessionOptions,
): PromptHistory {
  const { home, lockTimeoutMs, useKernelLock, environment, onDiagnostic } = options
  // The transcript has been synced by then: waiting for a second sync would keep nothing safer.
  const durability = options.durability === 'always' ? 'always' : 'none'
  const shared = { home, lockTimeoutMs, useKernelLock, environment, onDiagnostic }
  return new PromptHistory({
    sessionId,
    options: { ...shared, durability, project, lineNumbers: false },
    report: onDiagnostic ?? (() => {}),
  })
}

export function existsError(id: string, path: string): SessionError {
  return new SessionError('ERR_EXISTS', `A session "${id}" is there already`, { id, path })
}
