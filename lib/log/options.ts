// Options become settings once, in the public functions; below them nothing is optional.

import {
  type Environment,
  type EnvironmentOverrides,
  environmentFrom,
} from '../environment/index.js'
import { SessionError } from '../errors.js'
import type { Channel, Diagnostic, SessionEvent } from '../format/index.js'
import { toReporter } from './listeners.js'
import type { AcquireOptions } from './lock/acquire.js'
import type { PayloadRedaction, PrepareSettings, TrailingEvent } from './write/prepared-event.js'

/** Sees every line in the middle of its write. For higher modules. */
export interface LogObserver {
  wrote(event: SessionEvent, byteOffset: number): void
  /** Another process wrote, too; the observer has not seen all lines. */
  foreign(): void
}

/** Options of a log that is written. */
export interface LogOptions {
  /**
   * When lines are synced to the disk.
   *
   * @default 'turn'
   */
  durability?: Durability | undefined

  /**
   * Refuse events that belong to another kind of file.
   *
   * @default undefined (any type)
   */
  channel?: Channel | undefined

  /**
   * Return the physical line in every receipt. A log that this writer did not create is counted
   * once for it.
   *
   * @default true
   */
  lineNumbers?: boolean | undefined

  /**
   * How long to wait for a process that holds the lock for one append. A lease is not waited for.
   *
   * @default JSONL_SESSION_LOCK_TIMEOUT_MS, else 5000
   */
  lockTimeoutMs?: number | undefined

  /**
   * Use the kernel lock of the optional addon where it is available. `false` uses the portable lock
   * alone, as without the addon: two writers may then fork the chain, and no line is lost by that.
   *
   * @default true
   */
  useKernelLock?: boolean | undefined

  /**
   * Called with everything that was tolerated, never while a line is being written.
   *
   * @default none
   */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined

  /**
   * Called with what another listener threw or rejected with: `onDiagnostic`, `onAppend`,
   * `onCompacted` and others. Nothing fails because of a listener.
   *
   * @default a diagnostic `listener_failed`; without `onDiagnostic`, or if that fails, a warning of
   * the process
   */
  onListenerError?: ((error: unknown) => void) | undefined

  /**
   * Called with every written event, for modules above.
   *
   * @default none
   */
  observer?: LogObserver | undefined

  /**
   * Called before every write. For higher modules; it must not wait or throw.
   *
   * @default none
   */
  trailingEvent?: TrailingEvent | undefined

  /**
   * What every payload becomes before it is serialised, after it was checked. Whatever reaches the
   * file through this log has been through it.
   *
   * @default undefined (it stays as it is)
   */
  redact?: PayloadRedaction | undefined

  /**
   * Tests give their own clock and ids, so that a log can be compared byte for byte.
   *
   * @default the system's
   */
  environment?: EnvironmentOverrides | undefined
}

export interface LogSettings extends PrepareSettings {
  readonly durability: Durability
  readonly hasLineNumbers: boolean
  readonly lock: Omit<AcquireOptions, 'mode'>
  readonly onDiagnostic: (diagnostic: Diagnostic) => void
  readonly observer: LogObserver | undefined
  readonly trailingEvent: TrailingEvent | undefined
  readonly environment: Environment
}

const LOCK_TIMEOUT_MS = 5000
const DURABILITIES: readonly string[] = ['none', 'turn', 'always']

export function toLogSettings(options: LogOptions): LogSettings {
  const environment = environmentFrom(options.environment)
  const {
    durability = 'turn',
    lockTimeoutMs = lockTimeoutOf(environment),
    useKernelLock = true,
  } = options
  if (!DURABILITIES.includes(durability)) {
    throw new SessionError(
      'ERR_ARG',
      `durability must be none, turn or always, not "${durability}"`,
    )
  }
  if (!(lockTimeoutMs >= 0)) {
    throw new SessionError('ERR_ARG', `lockTimeoutMs must be 0 or more, not ${lockTimeoutMs}`)
  }
  return {
    durability,
    channel: options.channel,
    redact: options.redact,
    hasLineNumbers: options.lineNumbers ?? true,
    lock: { timeoutMs: lockTimeoutMs, useKernelLock, env: environment },
    onDiagnostic: toReporter(options, environment.host),
    observer: options.observer,
    trailingEvent: options.trailingEvent,
    environment,
  }
}

function lockTimeoutOf({ host }: Environment): number {
  const value = Number(host.variables['JSONL_SESSION_LOCK_TIMEOUT_MS'])
  return Number.isFinite(value) && value > 0 ? value : LOCK_TIMEOUT_MS
}

/**
 * When an append is safe from more than the death of its process:
 *
 * - `none`: never on purpose; the operating system has the bytes, the disk gets them some time
 * - `turn`: synced at prompts, tool intents, boundaries, turn ends, checkpoints and close
 * - `always`: every append is synced before it is acknowledged
 *
 * Under each of them an acknowledged event is a whole line of the file.
 */
export type Durability = 'none' | 'turn' | 'always'
