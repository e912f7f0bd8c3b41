// Options become settings once, at the door; past it nothing is optional.

import { SessionError } from '../errors.js'
import type { Channel, Diagnostic, SessionEvent } from '../format/index.js'
import type { DraftSettings, PayloadRedaction } from './draft.js'
import type { Durability } from './durability.js'
import { type Environment, systemEnvironment } from './environment.js'
import type { Trailer } from './trailer.js'

/** Watches a log grow from the inside, line by line, in the middle of the write: for rooms above. */
export interface LogObserver {
  wrote(event: SessionEvent, byteOffset: number): void
  /** Somebody else wrote, too; what was observed is not all there is. */
  foreign(): void
}

export interface LogOptions {
  /** @default 'turn' */
  durability?: Durability | undefined

  /**
   * Refuse events that belong to another kind of file.
   *
   * @default undefined (any type)
   */
  channel?: Channel | undefined

  /**
   * Tell the physical line in every receipt. A log that this writer did not create is counted
   * once for it.
   *
   * @default true
   */
  lineNumbers?: boolean | undefined

  /**
   * How long to wait for somebody who holds the lock for one append. A lease is not waited for.
   *
   * @default JSONL_SESSION_LOCK_TIMEOUT_MS, else 5000
   */
  lockTimeoutMs?: number | undefined

  /**
   * Go without the kernel lock although it could be had. Everything still holds but one point:
   * see "advisory" in docs/FORMAT.md.
   *
   * @default true
   */
  useKernelLock?: boolean | undefined

  /** Is told what was tolerated, never while a line is being written. */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined

  observer?: LogObserver | undefined

  /** Asked before every write. For rooms above, as the observer is: it must not wait or throw. */
  trailer?: Trailer | undefined

  /**
   * What every payload becomes before it is serialised, after it was checked. Whatever reaches the
   * file through this log has been through it.
   *
   * @default undefined (it stays as it is)
   */
  redact?: PayloadRedaction | undefined

  /** Tests give their own clock and ids, so that a log can be compared byte for byte. */
  environment?: Partial<Environment> | undefined
}

export interface LogSettings extends DraftSettings {
  readonly durability: Durability
  readonly hasLineNumbers: boolean
  readonly lockTimeoutMs: number
  readonly useKernelLock: boolean
  readonly onDiagnostic: (diagnostic: Diagnostic) => void
  readonly observer: LogObserver | undefined
  readonly trailer: Trailer | undefined
  readonly environment: Environment
}

const LOCK_TIMEOUT_MS = 5000
const DURABILITIES: readonly string[] = ['none', 'turn', 'always']

export function settingsOf(options: LogOptions): LogSettings {
  const { durability = 'turn', lockTimeoutMs = lockTimeoutOfEnvironment() } = options
  if (!DURABILITIES.includes(durability)) {
    throw new SessionError('ERR_ARG', `durability is none, turn or always, not "${durability}"`)
  }
  if (!(lockTimeoutMs >= 0)) {
    throw new SessionError('ERR_ARG', `lockTimeoutMs must be 0 or more, not ${lockTimeoutMs}`)
  }
  return {
    durability,
    channel: options.channel,
    redact: options.redact,
    hasLineNumbers: options.lineNumbers ?? true,
    lockTimeoutMs,
    useKernelLock: options.useKernelLock ?? true,
    onDiagnostic: options.onDiagnostic ?? (() => {}),
    observer: options.observer,
    trailer: options.trailer,
    environment: { ...systemEnvironment, ...options.environment },
  }
}

function lockTimeoutOfEnvironment(): number {
  const value = Number(process.env['JSONL_SESSION_LOCK_TIMEOUT_MS'])
  return Number.isFinite(value) && value > 0 ? value : LOCK_TIMEOUT_MS
}
