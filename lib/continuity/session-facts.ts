// What the header of a session tells those who come after it. One short read.

import { fieldsOf } from '../chain/index.js'
import { isSessionError } from '../errors.js'
import { isHeaderType, normalizeSessionKey } from '../format/index.js'
import { readLogSync } from '../log/index.js'
import { layoutOf, type StoreOptions } from '../store/index.js'

export interface SessionOrigin {
  /** The session it follows, by whatever name its harness gave that. */
  readonly previousSessionKey: string | undefined
  readonly project: string | undefined
  readonly harness: string | undefined
  readonly agentLabel: string | undefined
}

/** `undefined` when there is no transcript, or its header cannot be read. */
export function readOrigin(sessionKey: string, options: StoreOptions): SessionOrigin | undefined {
  const path = layoutOf(options).transcriptPath(normalizeSessionKey(sessionKey))
  try {
    for (const entry of readLogSync(path)) {
      if (entry.kind !== 'event') continue
      const { type, payload } = entry.event
      return isHeaderType(type) ? originOf(fieldsOf(payload)) : undefined
    }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
  return undefined
}

function originOf(header: Readonly<Record<string, unknown>>): SessionOrigin {
  const resumedFrom = fieldsOf(header['resumed_from'])
  return {
    previousSessionKey: textIn(header['previous_session_key']) ?? textIn(resumedFrom['session_id']),
    project: textIn(header['project_normalized']) ?? textIn(header['project']),
    harness: textIn(header['harness']),
    agentLabel: textIn(header['agent_label']),
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
