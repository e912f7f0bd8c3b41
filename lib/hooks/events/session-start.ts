// A session starts: its log begins or goes on, and the model is told once what the last one knew.

import { isSessionError } from '../../errors.js'
import { type OneRecovery, recoverOnce } from '../../session/index.js'
import { startTold, takeWaiting } from '../../session/told.js'
import { layoutOf, readLogEnd } from '../../store/index.js'
import { type HookContext, type HookHandler, NOTHING } from '../hook-context.js'
import { textIn } from '../hook-input.js'

type Source = NonNullable<Parameters<typeof startTold>[0]['source']>

const SOURCES: readonly string[] = ['startup', 'resume', 'compact', 'fork', 'clear']

export const onSessionStart: HookHandler = async (context) => {
  const { fields, session_id, options } = context
  const given = textIn(fields, 'source') ?? 'startup'
  const source = (SOURCES.includes(given) ? given : 'startup') as Source
  // Before the log says that it goes on: what was last said in it decides.
  const recovery = recoveryFor(context, source)
  const { status } = await startTold({ session_id, source }, options)
  await takeWaiting({ ...options, lockTimeoutMs: 0 })
  if (recovery === undefined) return { ...NOTHING, status }
  return { inject: recovery.text, commit: () => recovery.commit(), status }
}

function recoveryFor(context: HookContext, source: Source): OneRecovery | undefined {
  const { session_id, options } = context
  try {
    const recovery = recoverOnce(session_id, {
      ...options,
      lockTimeoutMs: options.lockTimeoutAfterMs,
      project: options.facts?.project,
      previousSessionKey: options.facts?.previousSessionKey,
      source,
    })
    return recovery !== undefined && isWanted(recovery, context, source) ? recovery : undefined
  } catch (error) {
    // A session must begin whatever became of an earlier one.
    if (!isSessionError(error)) throw error
    context.tell(`${error.code}: ${error.message}`)
    return undefined
  }
}

function isWanted(recovery: OneRecovery, { session_id, options }: HookContext, source: Source) {
  if (recovery.text === '') return false
  if (source === 'startup') return true
  if (recovery.matchedBy !== 'session') return false
  // A harness that resumes gives the model all that was said; only what is newer is news.
  return source === 'compact' || isNews(recovery, session_id, options)
}

function isNews(
  { checkpoint, boundary_uuid }: OneRecovery,
  session_id: string,
  options: HookContext['options'],
): boolean {
  if ((checkpoint.cycle ?? null) !== boundary_uuid) return true
  const { last } = readLogEnd(layoutOf(options).transcriptPath(session_id), 0)
  return last === undefined || Date.parse(checkpoint.created_at) > Date.parse(last.ts)
}
