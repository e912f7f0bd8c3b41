// A session starts: its log begins or continues, and what the last session knew is injected once.

import { isStartSource, type StartSource } from '../continuity/index.js'
import { isSessionError } from '../errors.js'
import {
  drainSpool,
  type PendingRecovery,
  readLogEnd,
  recordSessionStart,
  recoverOnce,
} from '../session/record.js'
import { findText, type HookAnswer, type HookContext, NOTHING } from './read-input.js'

export async function onSessionStart(context: HookContext): Promise<HookAnswer> {
  const { fields, sessionId, store, options } = context
  const given = findText(fields, 'source') ?? 'startup'
  const source = isStartSource(given) ? given : 'startup'
  // Before the log gets an event of this start: the newest event decides what is news.
  const recovery = findRecovery(context, source)
  const { status } = await recordSessionStart(store, { sessionId, source }, options)
  await drainSpool(store)
  if (recovery === undefined) return { ...NOTHING, status }
  return { inject: recovery.text, commit: () => recovery.commit(), status }
}

function findRecovery(context: HookContext, source: StartSource): PendingRecovery | undefined {
  const { sessionId, followUpStore, options } = context
  const { facts } = options
  try {
    const recovery = recoverOnce(followUpStore, sessionId, {
      facts,
      lineNumbers: false,
      project: facts?.project,
      previousSessionKey: facts?.previousSessionKey,
      source,
    })
    return recovery !== undefined && isWanted(recovery, context, source) ? recovery : undefined
  } catch (error) {
    // A session must begin whatever state an earlier one is in.
    if (!isSessionError(error)) throw error
    context.report(`${error.code}: ${error.message}`)
    return undefined
  }
}

function isWanted(recovery: PendingRecovery, context: HookContext, source: StartSource): boolean {
  if (recovery.text === '') return false
  if (source === 'startup') return true
  if (recovery.matchedBy !== 'session') return false
  // A harness that resumes gives the model the whole conversation; only newer facts are news.
  return source === 'compact' || isNews(recovery, context)
}

function isNews(
  { checkpoint, boundaryUuid, from }: PendingRecovery,
  { sessionId, store }: HookContext,
): boolean {
  if (!from.some(({ kind }) => kind === 'checkpoint')) return false
  if ((checkpoint.cycle ?? null) !== boundaryUuid) return true
  const { last } = readLogEnd(store, store.layout.transcriptPath(sessionId))
  return last === undefined || Date.parse(checkpoint.created_at) > Date.parse(last.ts)
}
