// How a caller names a session: by its key, and by its agent unless that is the default one.

import { normalizeSessionKey } from '../format/index.js'

const DEFAULT_AGENT = 'default'

export type SessionRef =
  | string
  | { readonly sessionKey: string; readonly agentId?: string | undefined }

export interface SessionName {
  readonly agentId: string
  readonly sessionKey: string
}

/** With the normalized key. */
export function nameOf(session: SessionRef): SessionName {
  if (typeof session === 'string') {
    return { agentId: DEFAULT_AGENT, sessionKey: normalizeSessionKey(session) }
  }
  const { agentId = DEFAULT_AGENT, sessionKey } = session
  return { agentId, sessionKey: normalizeSessionKey(sessionKey) }
}

/** A unique text for a name, for use as a map key. */
export function slotOf({ agentId, sessionKey }: SessionName): string {
  return JSON.stringify([agentId, sessionKey])
}

/** The key alone for the default agent, which is looked up faster. */
export function refOf({ agentId, sessionKey }: SessionName): SessionRef {
  return agentId === DEFAULT_AGENT ? sessionKey : { agentId, sessionKey }
}
