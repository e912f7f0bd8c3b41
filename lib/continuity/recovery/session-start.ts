// Everything a session should know when it begins, in one answer of bounded size: what it
// continues, what others did, what was learnt, what is to be done.

import { isSessionError, SessionError } from '../../errors.js'
import { normalizeSessionKey, shorten } from '../../format/index.js'
import {
  listCheckpoints,
  listSessions,
  loadSession,
  type StoreContext,
  selectProjects,
} from '../../store/index.js'
import { readMessages } from '../checkpoints/context-checkpoint.js'
import { recentEpisodes } from '../checkpoints/episodes.js'
import { redactByDefault, redactWords } from '../redact-words.js'
import { readOrigin } from '../state/session-origin.js'
import { type Changes, changesSince, recentAgents, type StartSources } from './agents.js'
import { checkpointNudge } from './nudge.js'
import { budgetOf, type RecoverOptions, type Recovery, recover } from './recover.js'
import { recoveryText } from './recovery-text.js'
import { NOTHING_TRIMMED, type StartAnswer, type StartRecovery, trimToFit } from './start-answer.js'
import { findRemembered } from './start-context.js'

/** How many items a session gets at its start. The numbers are part of the protocol. */
export interface Profile {
  /** Summaries of earlier sessions. */
  readonly episodic: number
  readonly facts: number
  readonly tasks: number
  readonly constraints: number
}

export type StartMode =
  | 'default'
  | 'planning'
  | 'incident'
  | 'handoff'
  | 'deep'
  | 'minimal'
  | 'none'

export const PROFILES: Readonly<Record<StartMode, Profile>> = {
  default: { episodic: 3, facts: 5, tasks: 5, constraints: 10 },
  planning: { episodic: 1, facts: 8, tasks: 8, constraints: 10 },
  incident: { episodic: 5, facts: 8, tasks: 3, constraints: 10 },
  handoff: { episodic: 5, facts: 5, tasks: 8, constraints: 10 },
  deep: { episodic: 5, facts: 10, tasks: 5, constraints: 10 },
  minimal: { episodic: 1, facts: 3, tasks: 3, constraints: 3 },
  none: { episodic: 0, facts: 0, tasks: 0, constraints: 0 },
}

export interface SessionStartOptions extends RecoverOptions {
  /**
   * Which profile: how many summaries, facts, tasks and constraints.
   *
   * @default 'default'
   */
  mode?: StartMode | undefined

  /**
   * Only the first 120 characters of each text; `readItem` reads all of it.
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

  /**
   * The name of the agent in the answer.
   *
   * @default the label in the session's header, else the agent's id
   */
  agentLabel?: string | undefined

  /**
   * Of the session that starts.
   *
   * @default none
   */
  harness?: string | undefined

  /**
   * Messages of the host to the agent; the first five are delivered.
   *
   * @default none
   */
  pendingMessages?: (() => readonly string[] | Promise<readonly string[]>) | undefined

  /**
   * Suggest a checkpoint after this many prompts without one in the agent's own words.
   *
   * @default never
   */
  nudgeAfter?: number | undefined

  /**
   * The result of a `recover()` that the caller made itself; `null` for none.
   *
   * @default recover() with these options
   */
  recovery?: Recovery | null | undefined
}

const TEXT_CODE_POINTS = 120
const RESPONSE_CHARS = { usual: 16_000, least: 1000 }
const CHECKPOINTS_MAX = 500

export async function sessionStart(
  store: StoreContext,
  options: SessionStartOptions = {},
): Promise<StartAnswer> {
  const { redact = redactByDefault, summaryOnly = true, harness, nudgeAfter } = options
  const maxChars = checkResponseChars(options.maxResponseChars)
  const profile = findProfile(options.mode ?? 'default')
  // The share of recovery is reserved before anything else is built.
  const recovery =
    options.recovery === undefined ? recover(store, options) : (options.recovery ?? undefined)
  const recoveryChars = Math.min(budgetOf(store, options.budgetChars), Math.floor(maxChars / 2))
  const { sources, hasEarlier } = readSources(store, options)
  const { sessionKey, agentLabel } = sources
  const episodes = recentEpisodes(store, sources, profile.episodic)
  const remembered = findRemembered(store, options)
  const changes = hasEarlier ? changesSince(store.agent, sources) : undefined
  const answer: StartAnswer = {
    agentLabel,
    sessionContext: {
      recentSessions: episodes.map(show),
      importantFacts: remembered.facts.slice(0, profile.facts).map(show),
      activeTasks: remembered.tasks.slice(0, profile.tasks).map(show),
      constraints: remembered.constraints.slice(0, profile.constraints).map(show),
    },
    recovery: recovery === undefined ? null : toStartRecovery(recovery, recoveryChars),
    recentAgents: recentAgents(store, sources, { episodes, harness }).map((agent) => ({
      ...agent,
      lastSummary: showText(agent.lastSummary),
    })),
    isFirstConnection: !hasEarlier,
    ...(changes !== undefined && { changesSinceLastSession: showTitles(changes) }),
    pendingMessages:
      options.pendingMessages === undefined
        ? []
        : await readMessages(options.pendingMessages, redact),
    otherOpenTaskCount: remembered.otherTasks.length,
    trimmed: NOTHING_TRIMMED,
    contextEpoch: readEpoch(store, sessionKey),
    ...nudge(),
  }
  const shortenRecovery = (chars: number) => recoveryText(recovery?.from ?? [], chars)
  return trimToFit(answer, { maxChars, recoveryChars, shortenRecovery })

  function showText<Text extends string | null>(text: Text): Text {
    if (text === null) return text
    const safe = redact(text)
    return (summaryOnly ? shorten(safe, TEXT_CODE_POINTS) : safe.toWellFormed()) as Text
  }

  function show<Shown extends { readonly text: string }>(item: Shown): Shown {
    return { ...item, text: showText(item.text) }
  }

  function showTitles(all: Changes): Changes {
    return { ...all, sessions: all.sessions.map((it) => ({ ...it, title: showText(it.title) })) }
  }

  function nudge(): { nudge?: string } {
    if (sessionKey === undefined || nudgeAfter === undefined) return {}
    const text = checkpointNudge(store, sessionKey, { after: nudgeAfter })
    return text === undefined ? {} : { nudge: text }
  }
}

function readSources(
  store: StoreContext,
  options: SessionStartOptions,
): {
  sources: StartSources
  /** This agent has been here before, in any project. */
  hasEarlier: boolean
} {
  const { scope, redact } = options
  const sessionKey =
    options.sessionKey === undefined ? undefined : normalizeSessionKey(options.sessionKey)
  const origin = sessionKey === undefined ? undefined : readOrigin(store, sessionKey)
  const project = options.project ?? origin?.project
  const own = {
    sessionKey,
    previousSessionKey: options.previousSessionKey ?? origin?.previousSessionKey,
    agentLabel: shorten(options.agentLabel ?? origin?.agentLabel ?? store.agent, TEXT_CODE_POINTS),
  }
  const all = listSessions(store, { all: true }).sessions.filter(
    ({ sessionId, kind }) => sessionId !== sessionKey && kind !== 'subagent',
  )
  const hasEarlier = all.length > 0
  // Without a project the query would mean all of them.
  if (project === undefined && scope !== 'all') {
    return { sources: { ...own, checkpoints: [], sessions: [] }, hasEarlier }
  }
  const { has } = selectProjects(store, { project, scope })
  const found = listCheckpoints(store, { project, scope, limit: CHECKPOINTS_MAX })
  const checkpoints = found.checkpoints.map(({ checkpoint }) => redactWords(checkpoint, redact))
  const sessions = all.filter((it) => has(it.projectNormalized) || has(it.project))
  return { sources: { ...own, checkpoints, sessions }, hasEarlier }
}

function toStartRecovery(recovery: Recovery, chars: number): StartRecovery {
  const { checkpoint, matchedBy, ageMs, text, from } = recovery
  const fitting = text.length <= chars ? text : recoveryText(from, chars)
  return { checkpointId: checkpoint.id, matchedBy, ageMs, text: fitting }
}

function readEpoch(store: StoreContext, sessionKey: string | undefined): number {
  if (sessionKey === undefined) return 0
  try {
    const { log } = loadSession(store, store.layout.transcriptPath(sessionKey), {
      lazyPayloads: true,
    })
    return log.projection.contextEpoch
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return 0
  }
}

function findProfile(mode: string): Profile {
  if (Object.hasOwn(PROFILES, mode)) return PROFILES[mode as StartMode]
  const modes = Object.keys(PROFILES).join(', ')
  throw new SessionError('ERR_ARG', `mode must be one of ${modes}, not "${mode}"`, { mode })
}

function checkResponseChars(maxResponseChars = RESPONSE_CHARS.usual): number {
  const isWhole = Number.isSafeInteger(maxResponseChars)
  if (isWhole && maxResponseChars >= RESPONSE_CHARS.least) return maxResponseChars
  const what = `maxResponseChars is a whole number from ${RESPONSE_CHARS.least}`
  throw new SessionError('ERR_ARG', `${what}, not ${maxResponseChars}`, { maxResponseChars })
}
