// What all ways to a session share: a log under its lease, watched by the view and the title.

import { SessionError } from '../errors.js'
import type { LogObserver, LogWriter } from '../log/index.js'
import { layoutOf } from '../store/index.js'
import { asWritten } from './redaction.js'
import { Session } from './session.js'
import { environmentOf, type SessionOptions } from './settings.js'
import { closeOnSignal } from './signals.js'
import type { TitleKeeper } from './title.js'
import type { SessionView } from './view.js'

export function observing(view: SessionView, title: TitleKeeper): LogObserver {
  return {
    wrote(event, byteOffset) {
      view.wrote(event, byteOffset)
      title.observe(event, byteOffset)
    },
    foreign: () => view.foreign(),
  }
}

export function sessionOf(
  parts: { id: string; log: LogWriter; view: SessionView; title: TitleKeeper },
  options: SessionOptions,
): Session {
  let stopListening = () => {}
  const settings = {
    environment: environmentOf(options),
    layout: layoutOf(options),
    report: options.onDiagnostic ?? (() => {}),
    asWritten: asWritten(options),
    onClosed: () => stopListening(),
  }
  const session = new Session({ ...parts, settings })
  if (options.handleSignals === true) {
    stopListening = closeOnSignal(() => session.closeSync('signal'))
  }
  return session
}

export function existsError(id: string, path: string): SessionError {
  return new SessionError('ERR_EXISTS', `A session "${id}" is there already`, { id, path })
}
