// Who else was at work, and what happened since this agent was last here.

import type { CheckpointPayload, SessionDigest, StoreOptions } from '../store/index.js'
import type { Episode } from './episodes.js'
import { readOrigin } from './session-facts.js'

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
  readonly session_id: string
  readonly title: string | null
  readonly lastActivity: string | null
}

// Labels stand in headers, and each is a read of its own.
const SESSIONS_LOOKED_AT = 20
const AGENTS_MAX = 5
const CHANGES_MAX = 10

export interface AgentSources extends StoreOptions {
  /** Of the project, newest first, without the own. */
  readonly sessions: readonly SessionDigest[]
  readonly episodes: readonly Episode[]
  readonly checkpoints: readonly CheckpointPayload[]
  readonly sessionKey: string | undefined
  readonly agentLabel: string
  readonly harness: string | undefined
}

/** The others, each with its newest session. */
export function recentAgents(sources: AgentSources): RecentAgent[] {
  const { sessions, episodes, agentLabel: ownLabel, harness: ownHarness } = sources
  const agents = new Map<string, RecentAgent>()
  for (const digest of sessions.slice(0, SESSIONS_LOOKED_AT)) {
    const { session_id, harness, lastActivity, title } = digest
    const label = readOrigin(session_id, sources)?.agentLabel
    const agentLabel = label ?? digest.agentId ?? 'default'
    const isOwn = agentLabel === ownLabel && (ownHarness ?? harness) === harness
    const name = JSON.stringify([agentLabel, harness])
    if (isOwn || agents.has(name)) continue
    const episode = episodes.find((it) => it.session_id === session_id)
    const lastSummary = episode?.text ?? title
    agents.set(name, { agentLabel, harness, lastActivity, lastSummary })
    if (agents.size === AGENTS_MAX) break
  }
  return [...agents.values()]
}

/** `undefined` when no earlier session of this agent has an end to count from. */
export function changesSince(
  { sessions, checkpoints, sessionKey }: AgentSources,
  { agentId, previousSessionKey }: { agentId: string; previousSessionKey: string | undefined },
): Changes | undefined {
  const last =
    sessions.find(({ session_id }) => session_id === previousSessionKey) ??
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
    sessions: later
      .slice(0, CHANGES_MAX)
      .map(({ session_id, title, lastActivity }) => ({ session_id, title, lastActivity })),
    checkpoints: stored.length,
  }
}
