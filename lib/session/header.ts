// The lines that begin, resume and end a session. The first names its id, its project, and the
// session it was resumed or forked from.

import { fieldsOf } from '../chain/index.js'
import { toIso } from '../environment/index.js'
import {
  FORMAT_VERSION,
  LineEncoder,
  type PayloadByType,
  withoutUndefined,
} from '../format/index.js'
import type { NewEvent } from '../log/index.js'
import {
  DEFAULT_AGENT,
  inferParentSession,
  normalizeProject,
  type StoreContext,
  workingFolder,
} from '../store/index.js'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.js'

type Header = PayloadByType['session_header']

/** What a harness may say about a session when it begins. */
export interface SessionFacts {
  /** The folder the user works in, in any spelling. */
  project?: string | undefined
  /** The program that runs the agent, for example `claude-code`. */
  harness?: string | undefined
  /** The harness's own id for the agent. */
  harnessAgentId?: string | undefined
  /** A name of the agent for people. */
  agentLabel?: string | undefined
  kind?: 'interactive' | 'headless' | 'subagent' | undefined
  /**
   * The session that started this one.
   *
   * @default of a key like `agent:nic:subagent:x`, `agent:nic:main`
   */
  parentSessionKey?: string | undefined
  /** The session that this one follows. */
  previousSessionKey?: string | undefined
  /** @default the working folder of the process */
  cwd?: string | undefined
  /**
   * How the events get here: from a handle, from hooks, or from an import.
   *
   * @default 'native'
   */
  capture?: 'native' | 'hooks' | 'import' | undefined
}

export interface Origin {
  readonly resumed_from?: Header['resumed_from'] | undefined
  readonly forked_from?: Header['forked_from'] | undefined
  readonly tool_policy?: Header['tool_policy'] | undefined
}

const KINDS = ['interactive', 'headless', 'subagent'] as const

/** The fields of a header that a session which continues it takes over. */
export type InheritedFacts = Pick<SessionFacts, 'project' | 'harness' | 'kind'> & {
  readonly projectNormalized: string | undefined
}

/** Payloads come from files: a field of the wrong type is left out. */
export function inheritedFacts(payload: unknown): InheritedFacts {
  const { project, project_normalized, harness, kind } = fieldsOf(payload)
  return {
    project: textOrUndefined(project),
    projectNormalized: textOrUndefined(project_normalized),
    harness: textOrUndefined(harness),
    kind: KINDS.find((known) => known === kind),
  }
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The header of a session that begins now. */
export function newHeader(
  store: StoreContext,
  sessionId: string,
  facts: SessionFacts,
  origin: Origin = {},
): NewEvent {
  const { project, parentSessionKey: named } = facts
  const projectNormalized = project === undefined ? undefined : normalizeProject(store, project)
  const isNamed = named !== undefined && named !== sessionId
  const byKey = isNamed ? undefined : inferParentSession(store, { sessionKey: sessionId })
  const parentSessionKey = isNamed ? named : byKey?.parentSessionKey
  const all = { ...facts, projectNormalized, parentSessionKey, isParentInferred: byKey?.inferred }
  const payload = headerPayload(store, sessionId, toIso(store.env.now()), all, origin)
  return { type: 'session_header', payload }
}

export function headerPayload(
  { env, agent }: StoreContext,
  sessionId: string,
  startTs: string,
  facts: SessionFacts & Partial<InheritedFacts> & { isParentInferred?: boolean | undefined },
  { resumed_from = null, forked_from, tool_policy }: Origin = {},
): Header {
  return withoutUndefined({
    format: FORMAT_VERSION,
    session_id: sessionId,
    start_ts: startTs,
    resumed_from,
    lib: { name: PACKAGE_NAME, version: PACKAGE_VERSION, capture: facts.capture ?? 'native' },
    forked_from,
    kind: facts.kind,
    tool_policy,
    parent_session_key: facts.parentSessionKey,
    parent_inferred: facts.isParentInferred,
    previous_session_key: facts.previousSessionKey,
    harness: facts.harness,
    harness_agent_id: facts.harnessAgentId,
    agent_id: agent === DEFAULT_AGENT ? undefined : agent,
    agent_label: facts.agentLabel,
    project: facts.project,
    project_normalized: facts.projectNormalized,
    cwd: facts.cwd ?? workingFolder(env.host),
  })
}

interface ForkFacts extends Pick<Origin, 'tool_policy'>, Pick<SessionFacts, 'capture'> {
  readonly forked_from: { readonly session_id: string; readonly at_uuid: string }
}

/**
 * The line of the header of a fork. It takes over what `source`, the header of the forked session,
 * says. It contains its own length, so it is encoded until the number fits.
 */
export function forkHeaderLine(
  store: StoreContext,
  sessionId: string,
  source: unknown,
  { forked_from, tool_policy, capture }: ForkFacts,
): Buffer {
  const ts = toIso(store.env.now())
  const uuid = store.env.newUuid()
  const { kind: _, ...inherited } = inheritedFacts(source)
  const encoder = new LineEncoder()
  for (let base = 0; ; ) {
    encoder.reset()
    const from = { forked_from: { ...forked_from, base }, tool_policy }
    const payload = headerPayload(store, sessionId, ts, { ...inherited, capture }, from)
    const payloadJson = JSON.stringify(payload)
    const length = encoder.addEvent({
      type: 'session_header',
      ts,
      uuid,
      prevJson: 'null',
      payloadJson,
    })
    if (length === base) return Buffer.from(encoder.bytes({ isolate: false }))
    base = length
  }
}

/** `lastTs`: the time of the event before it. */
export function resumedEvent(
  source: PayloadByType['session_resumed']['source'],
  { now, lastTs = '' }: { now: number; lastTs: string | undefined },
): NewEvent<'session_resumed'> {
  const gap = now - Date.parse(lastTs)
  const gap_ms = gap > 0 ? Math.round(gap) : 0
  return { type: 'session_resumed', payload: { at_ts: toIso(now), source, gap_ms } }
}

/** `bytes`: the size of the transcript before it. */
export function terminatorEvent(
  end: Pick<PayloadByType['session_terminator'], 'reason' | 'last_uuid' | 'events' | 'bytes'>,
  now: number,
): NewEvent<'session_terminator'> {
  return { type: 'session_terminator', payload: { end_ts: toIso(now), ...end } }
}
