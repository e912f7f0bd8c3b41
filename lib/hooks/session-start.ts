// A session starts: its log begins or continues, and what it should know is injected once.

import { drainSpool, startHarnessSession } from '../session/record.js'
import { findText, type HookAnswer, type HookContext } from './read-input.js'

export async function onSessionStart(context: HookContext): Promise<HookAnswer> {
  const { fields, sessionId, store, options } = context
  const request = {
    harness: options.facts?.harness ?? 'unknown',
    sessionKey: sessionId,
    source: findText(fields, 'source'),
  }
  const { inject, status, withdraw } = await startHarnessSession(store, request, options)
  await drainSpool(store)
  return { inject, status, withdraw }
}
