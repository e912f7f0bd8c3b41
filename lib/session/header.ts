// The first line of a session: who it is, and where it came from.

import { fieldsOf } from '../chain/index.js'
import { FORMAT_VERSION, type PayloadByType } from '../format/index.js'
import { workingFolder } from '../store/index.js'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.js'
import { withoutUndefined } from './without-undefined.js'

type Header = PayloadByType['session_header']

/** What a harness may say about a session when it begins. */
export interface SessionFacts {
  /** The directory the user works in, in any spelling. */
  project?: string | undefined
  harness?: string | undefined
  harnessAgentId?: string | undefined
  agentLabel?: string | undefined
  kind?: 'interactive' | 'headless' | 'subagent' | undefined
  parentSessionKey?: string | undefined
  previousSessionKey?: string | undefined
  cwd?: string | undefined
  capture?: 'native' | 'hooks' | 'import' | undefined
}

export interface Origin {
  readonly resumed_from?: Header['resumed_from'] | undefined
  readonly forked_from?: Header['forked_from'] | undefined
  readonly tool_policy?: Header['tool_policy'] | undefined
}

const KINDS = ['interactive', 'headless', 'subagent'] as const

/** What a header says that the header of a session that goes on from it says, too. */
export type InheritedFacts = Pick<SessionFacts, 'project' | 'harness' | 'kind'> & {
  readonly projectNormalized: string | undefined
}

/** Payloads come from files: what is not as it should be is not taken over. */
export function inheritedFacts(payload: unknown): InheritedFacts {
  const { project, project_normalized, harness, kind } = fieldsOf(payload)
  return {
    project: textOrNone(project),
    projectNormalized: textOrNone(project_normalized),
    harness: textOrNone(harness),
    kind: KINDS.find((known) => known === kind),
  }
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function headerPayload(
  sessionId: string,
  startTs: string,
  facts: SessionFacts & { projectNormalized?: string | undefined; agentId?: string | undefined },
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
    previous_session_key: facts.previousSessionKey,
    harness: facts.harness,
    harness_agent_id: facts.harnessAgentId,
    agent_id: facts.agentId,
    agent_label: facts.agentLabel,
    project: facts.project,
    project_normalized: facts.projectNormalized,
    cwd: facts.cwd ?? workingFolder(),
  })
}
