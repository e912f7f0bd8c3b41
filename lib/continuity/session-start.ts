// Everything a session should know when it begins, in one answer of a bounded size: what it goes
// on with, what others did, what was learnt, what is to be done.

import { isSessionError, SessionError } from '../errors.js'
import { normalizeSessionKey } from '../format/index.js'
import {
  type CheckpointPayload,
  layoutOf,
  listCheckpoints,
  listSessions,
  loadSession,
  type SessionDigest,
  selectProjects,
} from '../store/index.js'
import { type Changes, changesSince, recentAgents } from './agents.js'
import { recentEpisodes } from './episodes.js'
import { rememberedIn } from './memories.js'
import { checkpointNudge } from './nudge.js'
import { profileOf, type StartMode } from './profiles.js'
import { budgetOf, type RecoverOptions, type Recovery, recover } from './recover.js'
import { recoveryText } from './recovery-text.js'
import { type RedactText, redactByDefault, redactWords } from './served.js'
import { readOrigin, type SessionOrigin } from './session-facts.js'
import { shorten } from './shorten.js'
import { NOTHING_TRIMMED, type StartAnswer, type StartRecovery, trimToFit } from './trim-start.js'

export interface SessionStartOptions extends RecoverOptions {
  /**
   * Which profile: how many summaries, facts, tasks and constraints.
   *
   * @default 'default'
   */
  mode?: StartMode | undefined

  /**
   * Only the beginning of each text, 120 characters; `readItem` reads all of it.
   *
   * @default true
   */
  summaryOnly?: boolean | undefined

  /**
   * Of the whole answer as JSON; at least 1000.
   *
   * @default 16000
   */
  maxResponseChars?: number | undefined

  /** @default as the session's header has it, else the agent's id */
  agentLabel?: string | undefined

  harness?: string | undefined

  /** What the host has for the agent; the first five are delivered. */
  pendingMessages?: (() => readonly string[] | Promise<readonly string[]>) | undefined

  /**
   * After so many prompts without a checkpoint in the agent's own words the answer suggests one.
   *
   * @default never
   */
  nudgeAfter?: number | undefined

  /**
   * What was recovered, for those who did it themselves; `null` for nothing.
   *
   * @default recover() with these options
   */
  recovery?: Recovery | null | undefined
}

const TEXT_CODE_POINTS = 120
const RESPONSE_CHARS = { usual: 16_000, least: 1000 }
const MESSAGES_MAX = 5
const CHECKPOINTS_MAX = 500

export async function sessionStart(options: SessionStartOptions = {}): Promise<StartAnswer> {
  const maxChars = responseChars(options)
  const profile = profileOf(options.mode ?? 'default')
  const start = startOf(options)
  // Before anything else is built: what recovery may take is not there for the rest.
  const recovery = options.recovery === undefined ? recover(options) : options.recovery
  const recoveryChars = Math.min(budgetOf(options), Math.floor(maxChars / 2))
  const { checkpoints, sessions, hasEarlier } = readSources(start, options)
  const { sessionKey, agentId, agentLabel } = start
  const from = { ...options, checkpoints, sessions, sessionKey, agentLabel }
  const episodes = recentEpisodes({ ...from, limit: profile.episodic })
  const remembered = rememberedIn(checkpoints, agentId)
  const agents = { ...from, episodes, harness: options.harness }
  const { previousSessionKey } = start
  const changes = hasEarlier ? changesSince(agents, { agentId, previousSessionKey }) : undefined
  const show = showing(options)
  const answer: StartAnswer = {
    agentLabel,
    sessionContext: {
      recentSessions: episodes.map(show),
      importantFacts: remembered.facts.slice(0, profile.facts).map(show),
      activeTasks: remembered.tasks.slice(0, profile.tasks).map(show),
      constraints: remembered.constraints.slice(0, profile.constraints).map(show),
    },
    recovery: recovery === undefined || recovery === null ? null : shown(recovery, recoveryChars),
    recentAgents: recentAgents(agents).map((agent) => {
      const text = agent.lastSummary
      return { ...agent, lastSummary: text === null ? null : show({ text }).text }
    }),
    isFirstConnection: !hasEarlier,
    ...(changes !== undefined && { changesSinceLastSession: withTitles(changes, show) }),
    pendingMessages: await messagesOf(options),
    trimmed: NOTHING_TRIMMED,
    contextEpoch: epochOf(sessionKey, options),
    ...nudgeOf(sessionKey, options),
  }
  const shortenRecovery = (chars: number) => recoveryText(recovery?.checkpoint.digest ?? '', chars)
  return trimToFit(answer, { maxChars, recoveryChars, shortenRecovery })
}

interface Start {
  readonly sessionKey: string | undefined
  readonly previousSessionKey: string | undefined
  readonly project: string | undefined
  readonly agentId: string
  readonly agentLabel: string
}

function startOf(options: SessionStartOptions): Start {
  const { agent: agentId = 'default' } = options
  const sessionKey =
    options.sessionKey === undefined ? undefined : normalizeSessionKey(options.sessionKey)
  const origin: Partial<SessionOrigin> =
    sessionKey === undefined ? {} : (readOrigin(sessionKey, options) ?? {})
  const label = options.agentLabel ?? origin.agentLabel ?? agentId
  return {
    sessionKey,
    previousSessionKey: options.previousSessionKey ?? origin.previousSessionKey,
    project: options.project ?? origin.project,
    agentId,
    agentLabel: shorten(label, TEXT_CODE_POINTS),
  }
}

interface Sources {
  /** Of the project, newest first, redacted. */
  readonly checkpoints: readonly CheckpointPayload[]
  /** Of the project, newest first, without the own and without those of subagents. */
  readonly sessions: readonly SessionDigest[]
  /** This agent has been here before, in whatever project. */
  readonly hasEarlier: boolean
}

function readSources({ sessionKey, project }: Start, options: SessionStartOptions): Sources {
  const { scope, redact } = options
  const all = listSessions({ ...storeOf(options), all: true }).sessions.filter(
    ({ session_id, kind }) => session_id !== sessionKey && kind !== 'subagent',
  )
  const hasEarlier = all.length > 0
  // Without a project everything would be shown, of whatever project.
  if (project === undefined && scope !== 'all') {
    return { checkpoints: [], sessions: [], hasEarlier }
  }
  const { has } = selectProjects({ ...storeOf(options), project, scope })
  const found = listCheckpoints({
    ...options,
    project,
    session: undefined,
    limit: CHECKPOINTS_MAX,
  })
  return {
    checkpoints: found.checkpoints.map(({ checkpoint }) => redactWords(checkpoint, redact)),
    sessions: all.filter((it) => has(it.projectNormalized) || has(it.project)),
    hasEarlier,
  }
}

function storeOf({ root, home, agent }: SessionStartOptions) {
  return { root, home, agent }
}

function showing({ summaryOnly = true, redact = redactByDefault }: SessionStartOptions) {
  return <Shown extends { readonly text: string }>(item: Shown): Shown => {
    const text = redact(item.text)
    return { ...item, text: summaryOnly ? shorten(text, TEXT_CODE_POINTS) : text.toWellFormed() }
  }
}

function withTitles(changes: Changes, show: ReturnType<typeof showing>): Changes {
  const sessions = changes.sessions.map((session) => {
    const { title } = session
    return { ...session, title: title === null ? null : show({ text: title }).text }
  })
  return { ...changes, sessions }
}

function shown({ checkpoint, matchedBy, ageMs, text }: Recovery, chars: number): StartRecovery {
  const fitting = text.length <= chars ? text : recoveryText(checkpoint.digest, chars)
  return { checkpoint_id: checkpoint.id, matchedBy, ageMs, text: fitting }
}

async function messagesOf(options: SessionStartOptions): Promise<string[]> {
  const messages = (await options.pendingMessages?.()) ?? []
  const redact: RedactText = options.redact ?? redactByDefault
  return messages.slice(0, MESSAGES_MAX).map((message) => redact(message).toWellFormed())
}

function nudgeOf(sessionKey: string | undefined, options: SessionStartOptions) {
  const { nudgeAfter: after } = options
  if (sessionKey === undefined || after === undefined) return {}
  const nudge = checkpointNudge(sessionKey, { ...storeOf(options), after })
  return nudge === undefined ? {} : { nudge }
}

function epochOf(sessionKey: string | undefined, options: SessionStartOptions): number {
  if (sessionKey === undefined) return 0
  const layout = layoutOf(options)
  try {
    const { log } = loadSession(layout.transcriptPath(sessionKey), { layout, lazyPayloads: true })
    return log.projection.contextEpoch
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return 0
  }
}

function responseChars({ maxResponseChars = RESPONSE_CHARS.usual }: SessionStartOptions): number {
  const isWhole = Number.isSafeInteger(maxResponseChars)
  if (isWhole && maxResponseChars >= RESPONSE_CHARS.least) return maxResponseChars
  const what = `maxResponseChars is a whole number from ${RESPONSE_CHARS.least}`
  throw new SessionError('ERR_ARG', `${what}, not ${maxResponseChars}`, { maxResponseChars })
}
