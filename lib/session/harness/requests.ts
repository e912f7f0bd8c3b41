// The calls of a harness: what each of them takes. A harness is a program of its own, so its requests
// are checked here, and everything but the name of the harness may be missing.

import { SessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import { forAgent, type SkippedCall, type StoreContext } from '../../store/index.js'
import type { SessionFacts } from '../header.js'
import type { HookRecordOptions } from '../record/hook-events.js'
import type { RecordResult } from '../record/record.js'

/** What every call of a harness has. */
export interface HarnessRequest {
  /** The program that runs the agent, for example `claude-code`. */
  readonly harness: string
  /** @default none: nothing is recorded */
  readonly sessionKey?: string | undefined
  /**
   * Whose session it is: equal keys of two agents are two sessions.
   *
   * @default the agent of the store
   */
  readonly agentId?: string | undefined
  /** The folder of the work, in any spelling. */
  readonly project?: string | undefined
  /**
   * By which way the harness calls; only one of them records a session.
   *
   * @default none: nothing is checked
   */
  readonly runtimePath?: string | undefined
}

/** Flags of an answer to a call that had nothing to do, or could not do it. */
export interface HarnessAnswer extends SkippedCall {
  /** The session as it is stored; `null` for a call without one. */
  readonly sessionId: string | null
  readonly status?: RecordResult['status'] | undefined
}

export interface HarnessCall {
  /** As the agent of the request sees it. */
  readonly store: StoreContext
  readonly sessionId: string | undefined
  readonly options: HookRecordOptions
}

/** Checks what every request has. Throws ERR_ARG without a harness. */
export function openCall(
  store: StoreContext,
  request: HarnessRequest,
  options: HookRecordOptions,
): HarnessCall {
  const { harness, agentId, sessionKey, project } = request
  requireText(harness, 'harness')
  const facts: SessionFacts = { capture: 'hooks', project, ...options.facts, harness }
  return {
    store: isText(agentId) ? forAgent(store, agentId) : store,
    sessionId: isText(sessionKey) ? normalizeSessionKey(sessionKey) : undefined,
    options: { ...options, facts },
  }
}

export function requireText(value: unknown, name: string): asserts value is string {
  if (!isText(value)) throw new SessionError('ERR_ARG', `${name} is required`, { missing: name })
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
