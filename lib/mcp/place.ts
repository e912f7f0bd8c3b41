// To which session and project a checkpoint belongs that an agent leaves.

import { readSessionProject } from '../store/index.js'
import type { ToolContext } from './tool.js'

interface Given {
  readonly sessionKey?: string | undefined
  readonly project?: string | undefined
}

export function placeOf({ sessionKey, project }: Given, context: ToolContext) {
  const key = sessionKey ?? context.session() ?? context.ownKey
  return {
    store: context.reportingStore,
    sessionKey: key,
    // A session has its own, wherever its agent works at this moment.
    project: project ?? readSessionProject(context.store, key) ?? context.project(),
  }
}

/** For tools that look: a session and project that may be there or not. */
export function viewOf({ sessionKey, project }: Given, context: ToolContext) {
  const key = sessionKey ?? context.session()
  const own = key === undefined ? undefined : readSessionProject(context.store, key)
  return {
    store: context.store,
    sessionKey: key,
    project: project ?? own ?? context.project(),
  }
}
