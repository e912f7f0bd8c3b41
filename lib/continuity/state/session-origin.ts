// What the header of a session says about where it comes from. Reads one line.

import { fieldsOf } from '../../chain/index.js'
import { isHeaderType } from '../../format/index.js'
import { openIfThere, readLogSync } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'

export interface SessionOrigin {
  /** The session it follows, by the name its harness gave that. */
  readonly previousSessionKey: string | undefined
  readonly project: string | undefined
  readonly harness: string | undefined
  readonly agentLabel: string | undefined
}

/** `undefined` when there is no transcript, or its header cannot be read. */
export function readOrigin(store: StoreContext, sessionKey: string): SessionOrigin | undefined {
  const { env } = store
  const log = openIfThere(store.layout.transcriptPath(sessionKey), env)
  if (log === undefined) return undefined
  try {
    for (const entry of readLogSync(log, { environment: env })) {
      if (entry.kind !== 'event') continue
      const { type, payload } = entry.event
      return isHeaderType(type) ? toOrigin(fieldsOf(payload)) : undefined
    }
  } finally {
    env.fs.closeSync(log.fd)
  }
  return undefined
}

function toOrigin(header: Readonly<Record<string, unknown>>): SessionOrigin {
  const resumedFrom = fieldsOf(header['resumed_from'])
  return {
    previousSessionKey:
      textOrNone(header['previous_session_key']) ?? textOrNone(resumedFrom['session_id']),
    project: textOrNone(header['project_normalized']) ?? textOrNone(header['project']),
    harness: textOrNone(header['harness']),
    agentLabel: textOrNone(header['agent_label']),
  }
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
