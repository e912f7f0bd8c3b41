// Options of a session, checked once when it is created or resumed.

import type { ContinuityOptions } from '../continuity/index.js'
import { SessionError } from '../errors.js'
import { diagnostic } from '../format/index.js'
import type { LogOptions, NewEvent, PayloadRedaction } from '../log/index.js'
import {
  defaultRedactor,
  REDACTED,
  type RedactionProblem,
  Redactor,
  redactPayload,
} from '../redaction/index.js'
import type { StoreContext } from '../store/index.js'

export const SIDECHAIN_BYTES_MAX = 10 * 1024 * 1024

export interface SessionOptions extends RedactionOptions {
  /**
   * When an append is synced to the disk: never, at sync points (headers, prompts, tool calls, the
   * end), or always.
   *
   * @default 'turn'
   */
  durability?: LogOptions['durability']

  /**
   * Close the session on SIGTERM, SIGINT and SIGHUP. The signal is raised again afterwards.
   *
   * @default false
   */
  handleSignals?: boolean | undefined

  /**
   * `false`: the session is in memory only. It writes no file, takes no lock, records no history
   * and ends with its handle. This cannot be changed later.
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
   * Which checkpoints the session leaves for the next one; see docs/CONTINUITY.md. `false`: none.
   *
   * @default a checkpoint every 10 prompts or 15 minutes, before a compaction and at the end
   */
  continuity?: ContinuityOptions | false | undefined
}

export interface SessionSettings {
  readonly store: StoreContext
  /** Returns the event with the payload that is written of it, for listeners. */
  readonly asWritten: (event: NewEvent) => NewEvent
  /** Options of the session's log; the logs of its subagents differ in the channel only. */
  readonly log: LogOptions
  /** False: nothing is ever written, not by subagents either. */
  readonly isPersistent: boolean
  readonly maxSidechainBytes: number
  /** Called once, when the session is closed. */
  readonly onClosed: () => void
}

/** Called before a file is created or a lock is taken. */
export function assertSessionOptions({
  maxSidechainBytes = SIDECHAIN_BYTES_MAX,
  continuity = false,
}: SessionOptions): void {
  if (!Number.isSafeInteger(maxSidechainBytes) || maxSidechainBytes < 1) {
    throw new SessionError('ERR_ARG', 'maxSidechainBytes must be a positive integer')
  }
  if (continuity !== false && (typeof continuity !== 'object' || continuity === null)) {
    throw new TypeError('The continuity options must be an object, or false')
  }
}

export function settingsOf(
  store: StoreContext,
  options: SessionOptions,
): Omit<SessionSettings, 'onClosed'> {
  assertSessionOptions(options)
  const { maxSidechainBytes = SIDECHAIN_BYTES_MAX } = options
  return {
    store,
    asWritten: asWritten(options),
    log: logOptionsOf(store, options),
    isPersistent: options.persist ?? true,
    maxSidechainBytes,
  }
}

/** The options of a session's log. */
export function logOptionsOf(store: StoreContext, options: SessionOptions): LogOptions {
  return {
    ...store.logOptions,
    durability: options.durability,
    redact: redactionOf(store, options),
    channel: 'transcript',
    // Counting the lines of a long transcript is only done for callers that ask for it.
    lineNumbers: false,
  }
}

/** The same store with another patience for locks; `undefined` changes nothing. */
export function withLockTimeout(
  store: StoreContext,
  lockTimeoutMs: number | undefined,
): StoreContext {
  if (lockTimeoutMs === undefined) return store
  return { ...store, logOptions: { ...store.logOptions, lockTimeoutMs } }
}

export interface RedactionOptions {
  /**
   * Write `[REDACTED]` instead of secrets, so that no reader of the file sees them, this session
   * included. Blocks that a provider has signed are not changed. `true` uses the built-in rules;
   * pass a redactor for rules of your own.
   *
   * @default false
   */
  redactOnWrite?: boolean | Redactor | undefined
}

/** What a log does with every payload; `undefined` where nothing is redacted. */
export function redactionOf(
  store: StoreContext,
  options: RedactionOptions,
): PayloadRedaction | undefined {
  // The caller's code runs only after the line is written.
  const onProblem = ({ rule, reason }: RedactionProblem) =>
    queueMicrotask(() =>
      store.report(diagnostic('redaction_failed', redactionMessage(rule, reason))),
    )
  return redactionBy(options, onProblem)
}

/** Redacts an event for listeners, and for the spool. */
export function asWritten(options: RedactionOptions): (event: NewEvent) => NewEvent {
  const redact = redactionBy(options)
  if (redact === undefined) return (event) => event
  return (event) => ({ ...event, payload: redact(event.payload, event) as NewEvent['payload'] })
}

function redactionBy(
  { redactOnWrite = false }: RedactionOptions,
  onProblem?: (problem: RedactionProblem) => void,
): PayloadRedaction | undefined {
  if (redactOnWrite === false) return undefined
  const redactor = redactOnWrite === true ? defaultRedactor : redactOnWrite
  if (!(redactor instanceof Redactor)) {
    throw new TypeError('redactOnWrite must be true, false, or what createRedactor returns')
  }
  return (payload, { type, opaque }) =>
    redactPayload(type, payload, redactor, { opaque, onProblem })
}

export function redactionMessage(rule: string, reason: RedactionProblem['reason']): string {
  const what = {
    threw: 'threw an error',
    not_text: 'did not return a text',
    unsettled: 'never leaves its own result as it is',
  }
  return `The redaction rule "${rule}" ${what[reason]}; the text was written as ${REDACTED}`
}
