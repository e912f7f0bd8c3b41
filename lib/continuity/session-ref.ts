// How a caller names a session: by its key, and by its agent where that is not the default one.

import { normalizeSessionKey } from '../format/index.js'

const DEFAULT_AGENT = 'default'

export type SessionRef =
  | string
  | { readonly sessionKey: string; readonly agentId?: string | undefined }

export interface SessionName {
  readonly agentId: string
  readonly sessionKey: string
}

/** Every spelling of a key is the same session. */
export function nameOf(session: SessionRef): SessionName {
  if (typeof session === 'string') {
    return { agentId: DEFAULT_AGENT, sessionKey: normalizeSessionKey(session) }
  }
  const { agentId = DEFAULT_AGENT, sessionKey } = session
  return { agentId, sessionKey: normalizeSessionKey(sessionKey) }
}

/** One text for a name, and never the same for two. */
export function slotOf({ agentId, sessionKey }: SessionName): string {
  return JSON.stringify([agentId, sessionKey])
}

/** As short as it can be said: a key alone is found quicker. */
export function refOf({ agentId, sessionKey }: SessionName): SessionRef {
  return agentId === DEFAULT_AGENT ? sessionKey : { agentId, sessionKey }
}
