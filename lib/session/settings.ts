// Options of a session become settings once, at the door.

import type { Diagnostic } from '../format/index.js'
import type { Environment, LogOptions, NewEvent } from '../log/index.js'
import { systemEnvironment } from '../log/index.js'
import type { Layout, StoreOptions } from '../store/index.js'
import { type RedactionOptions, redactionOf } from './redaction.js'

export interface SessionOptions extends StoreOptions, RedactionOptions {
  durability?: LogOptions['durability']
  lockTimeoutMs?: number | undefined
  useKernelLock?: boolean | undefined
  onDiagnostic?: LogOptions['onDiagnostic']

  /**
   * Close the session when the process is told to end (SIGTERM, SIGINT, SIGHUP); the signal then
   * goes its way. A library installs no such listener unasked.
   *
   * @default false
   */
  handleSignals?: boolean | undefined

  /**
   * `false`: nothing is ever written, to no file, no lock and no history; the session is in memory
   * and ends with its handle. Decided once, when the session begins.
   *
   * @default true
   */
  persist?: boolean | undefined

  /** Tests give their own clock and ids. */
  environment?: Partial<Environment> | undefined
}

export interface SessionSettings {
  readonly environment: Environment
  readonly layout: Layout
  readonly report: (diagnostic: Diagnostic) => void
  /** The event with the payload that was written of it: for those who are told of it. */
  readonly asWritten: (event: NewEvent) => NewEvent
  /** Called once, when the session is closed. */
  readonly onClosed: () => void
}

export function environmentOf(options: SessionOptions): Environment {
  return { ...systemEnvironment, ...options.environment }
}

/** What of a session's options concerns its log. */
export function logOptionsOf(options: SessionOptions): LogOptions {
  const { durability, lockTimeoutMs, useKernelLock, onDiagnostic, environment } = options
  return {
    durability,
    lockTimeoutMs,
    useKernelLock,
    onDiagnostic,
    environment,
    redact: redactionOf(options),
    channel: 'transcript',
    // Counting the lines of a long transcript is for those who ask for it.
    lineNumbers: false,
  }
}
