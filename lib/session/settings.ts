// Options of a session become settings once, at the door.

import type { ContinuityOptions } from '../continuity/index.js'
import { SessionError } from '../errors.js'
import type { Diagnostic } from '../format/index.js'
import type { Environment, LogOptions, NewEvent } from '../log/index.js'
import { systemEnvironment } from '../log/index.js'
import { type Layout, layoutOf, type StoreOptions } from '../store/index.js'
import { asWritten, type RedactionOptions, redactionOf } from './redaction.js'

export const SIDECHAIN_BYTES_MAX = 10 * 1024 * 1024

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

  /**
   * How many bytes all subagents of a session may write together, in all processes.
   *
   * @default 10 MiB
   */
  maxSidechainBytes?: number | undefined

  /**
   * What the session leaves for the next one, and when; see docs/CONTINUITY.md. `false`: nothing.
   *
   * @default a checkpoint every 10 prompts or 15 minutes, before a compaction and at the end
   */
  continuity?: ContinuityOptions | false | undefined

  /** Tests give their own clock and ids. */
  environment?: Partial<Environment> | undefined
}

export interface SessionSettings {
  readonly environment: Environment
  readonly layout: Layout
  readonly report: (diagnostic: Diagnostic) => void
  /** The event with the payload that was written of it: for those who are told of it. */
  readonly asWritten: (event: NewEvent) => NewEvent
  /** For the logs of subagents: as for the session's own, but for the channel. */
  readonly log: LogOptions
  /** False: nothing is ever written, not by subagents either. */
  readonly isPersistent: boolean
  readonly maxSidechainBytes: number
  /** Called once, when the session is closed. */
  readonly onClosed: () => void
}

export function settingsOf(options: SessionOptions): Omit<SessionSettings, 'onClosed'> {
  const { onDiagnostic, maxSidechainBytes = SIDECHAIN_BYTES_MAX } = options
  if (!Number.isSafeInteger(maxSidechainBytes) || maxSidechainBytes < 1) {
    throw new SessionError('ERR_ARG', 'maxSidechainBytes must be a whole number from 1')
  }
  return {
    environment: environmentOf(options),
    layout: layoutOf(options),
    report: onDiagnostic ?? (() => {}),
    asWritten: asWritten(options),
    log: logOptionsOf(options),
    isPersistent: options.persist ?? true,
    maxSidechainBytes,
  }
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
