// Which session another one belongs to, when the harness does not say it, or says it in its own way.

import { normalizeSessionKey } from '../../format/index.js'
import type { StoreContext } from '../context.js'
import { listSessions } from './list-sessions.js'

export interface ParentHints {
  /** The session whose parent is asked for. */
  sessionKey?: string | undefined
  /** The parent, where the harness names it. */
  parentSessionKey?: string | undefined
  /** The `session_id` of a hook event: inside of a subagent it is the parent's. */
  hookSessionId?: string | undefined
  harness?: string | undefined
  /** The harness's own name for the subagent. A hint, and never part of a key. */
  harnessAgentId?: string | undefined
  project?: string | undefined
}

/** The parent of a session, and how it was found. */
export interface ParentSession {
  readonly parentSessionKey: string
  /** Not named: it follows from the shape of the key, or is the likeliest of the project. */
  readonly inferred: boolean
}

// OpenClaw's names for a subagent and for the session it was spawned from.
const SUBAGENT_KEY = /^agent:([^:]+):subagent:./

/** The first of these that exists: named, given by a hook, by the key, newest of the project. */
export function inferParentSession(
  store: StoreContext,
  hints: ParentHints,
): ParentSession | undefined {
  const { sessionKey, parentSessionKey, hookSessionId, harnessAgentId, harness, project } = hints
  const self = sessionKey === undefined ? undefined : normalizeSessionKey(sessionKey)
  const isSubagentOfHarness = harness === 'claude-code' && harnessAgentId !== undefined
  const named = parentSessionKey && normalizeSessionKey(parentSessionKey)
  if (named && named !== self) return { parentSessionKey: named, inferred: false }
  if (isSubagentOfHarness && hookSessionId !== undefined) {
    return { parentSessionKey: normalizeSessionKey(hookSessionId), inferred: false }
  }
  const byKey = self === undefined ? undefined : parentOfKey(self)
  if (byKey !== undefined) return { parentSessionKey: byKey, inferred: true }
  if (!isSubagentOfHarness || project === undefined) return undefined
  const kinds = ['interactive', 'headless'] as const
  const { sessions } = listSessions(store, { project, kinds })
  const newest = sessions.find(({ sessionId }) => sessionId !== self)
  return newest && { parentSessionKey: newest.sessionId, inferred: true }
}

/** The main session of the agent that a subagent's key names. */
function parentOfKey(sessionId: string): string | undefined {
  const [, agent] = SUBAGENT_KEY.exec(sessionId) ?? []
  return agent === undefined ? undefined : `agent:${agent}:main`
}
