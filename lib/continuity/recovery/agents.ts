// Which other agents worked in the project, and what happened since this agent's last session.

import type { CheckpointPayload, SessionInfo, StoreContext } from '../../store/index.js'
import type { Episode } from '../checkpoints/episodes.js'
import { readOrigin } from '../state/session-origin.js'

export interface RecentAgent {
  readonly agentLabel: string
  readonly harness: string | null
  readonly lastActivity: string | null
  /** What its last session was about, as far as it is known. */
  readonly lastSummary: string | null
}

export interface Changes {
  /** When this agent's last session ended. */
  readonly since: string
  readonly sessions: readonly Change[]
  readonly checkpoints: number
}

export interface Change {
  readonly sessionId: string
  readonly title: string | null
  readonly lastActivity: string | null
}

// A label is in the header of a session, and reading each costs one file.
const SESSIONS_LOOKED_AT = 20
const AGENTS_MAX = 5
const CHANGES_MAX = 10

/** What a session start gathers before it writes its answer. */
export interface StartSources {
  readonly sessionKey: string | undefined
  readonly previousSessionKey: string | undefined
  readonly agentLabel: string
  /** Of the project, newest first, redacted. */
  readonly checkpoints: readonly CheckpointPayload[]
  /** Of the project, newest first, without this session and without those of subagents. */
  readonly sessions: readonly SessionInfo[]
}

/** The other agents, each with its newest session. */
export function recentAgents(
  store: StoreContext,
  { sessions, agentLabel: ownLabel }: StartSources,
  { episodes, harness: ownHarness }: { episodes: readonly Episode[]; harness: string | undefined },
): RecentAgent[] {
  const agents = new Map<string, RecentAgent>()
  for (const { sessionId: session_id, agentId, harness, lastActivity, title } of sessions.slice(
    0,
    SESSIONS_LOOKED_AT,
  )) {
    const agentLabel = readOrigin(store, session_id)?.agentLabel ?? agentId ?? 'default'
    const isOwn = agentLabel === ownLabel && (ownHarness ?? harness) === harness
    const name = JSON.stringify([agentLabel, harness])
    if (isOwn || agents.has(name)) continue
    const episode = episodes.find(({ sessionId }) => sessionId === session_id)
    const lastSummary = episode?.text ?? title
    agents.set(name, { agentLabel, harness, lastActivity, lastSummary })
    if (agents.size === AGENTS_MAX) break
  }
  return [...agents.values()]
}

/** `undefined` when no earlier session of this agent has an end to count from. */
export function changesSince(
  agentId: string,
  { sessions, checkpoints, sessionKey, previousSessionKey }: StartSources,
): Changes | undefined {
  const last =
    sessions.find(({ sessionId: session_id }) => session_id === previousSessionKey) ??
    sessions.find((it) => it.status === 'clean' && (it.agentId ?? agentId) === agentId)
  const since = last?.lastActivity
  if (since === undefined || since === null) return undefined
  const isLater = (time: string | null) => time !== null && time > since
  const later = sessions.filter((it) => it !== last && isLater(it.lastActivity))
  const stored = checkpoints.filter(
    ({ session_key, created_at }) => session_key !== sessionKey && isLater(created_at),
  )
  return {
    since,
    sessions: later.slice(0, CHANGES_MAX).map(({ sessionId, title, lastActivity }) => ({
      sessionId,
      title,
      lastActivity,
    })),
    checkpoints: stored.length,
  }
}
