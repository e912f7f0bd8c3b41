// A harness asks for what was learnt. A call that must not do anything gets the shape of an answer
// that found nothing, and a flag that says why.

import {
  type RecallOptions,
  type RecallResult,
  recall,
  toRecallResult,
} from '../../continuity/index.js'
import { isBypassed, type StoreContext } from '../../store/index.js'
import type { HookRecordOptions } from '../record/hook-events.js'
import { recallOnce } from '../record/recall-once.js'
import { type HarnessAnswer, type HarnessRequest, openCall, requireText } from './requests.js'

export interface RecallRequest
  extends Omit<HarnessRequest, 'project'>,
    Omit<RecallOptions, 'redact'> {
  /** Return memories again that the session was given in its present context. */
  readonly includeRecalled?: boolean | undefined
  /** Record nothing, so that the next call returns the same. */
  readonly dryRun?: boolean | undefined
  /** The call is of a process whose hooks are switched off: nothing is looked for. */
  readonly isInternal?: boolean | undefined
}

export interface RecallResponse extends RecallResult, HarnessAnswer {
  /** Of a call with a session. */
  readonly contextEpoch?: number | undefined
  readonly bypassed?: true
  readonly internal?: true
}

/**
 * Finds memories. With a session, those that it was given since its last compaction are left out,
 * and what it is given now is recorded.
 */
export async function recallFor(
  given: StoreContext,
  request: RecallRequest,
  recordOptions: HookRecordOptions = {},
): Promise<RecallResponse> {
  const { query, isInternal = false } = request
  requireText(query, 'query')
  const { store, sessionId, options } = openCall(given, request, recordOptions)
  if (isInternal) return nothingFor(query, sessionId, { internal: true })
  if (sessionId === undefined) return { sessionId: null, ...recall(store, request) }
  if (isBypassed(store, sessionId)) return nothingFor(query, sessionId, { bypassed: true })
  const { facts, redactOnWrite } = options
  return recallOnce(store, sessionId, { ...request, facts, redactOnWrite })
}

type NoOp = Pick<RecallResponse, 'bypassed' | 'internal'>

function nothingFor(query: string, sessionId: string | undefined, why: NoOp): RecallResponse {
  return { sessionId: sessionId ?? null, ...toRecallResult({ query }, []), ...why }
}
