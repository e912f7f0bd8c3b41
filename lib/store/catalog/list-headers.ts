// The sessions of a store by their headers alone, for callers that read the rest themselves.

import type { StoreContext } from '../context.js'
import { readHead } from './file-windows.js'
import { projectFilter } from './filter-sessions.js'
import { headerFields } from './header-fields.js'
import { readHeader } from './read-head.js'
import { GONE, readTranscriptInfo, withOpenFile } from './read-session-info.js'
import { cachedNormalizer, sortedTranscripts } from './scan-folder.js'
import { isUnreadable, type SessionInfo, type Unreadable } from './session-info.js'
import { EventReader } from './skim-events.js'

export type SessionHeader = Pick<
  SessionInfo,
  'sessionId' | 'path' | 'project' | 'projectNormalized' | 'forkedFrom'
>

/** Of every kind, in the order of their names. */
export function listHeaders(
  store: StoreContext,
  options: { project?: string | undefined } = {},
): {
  readonly sessions: readonly SessionHeader[]
  readonly skipped: readonly Unreadable[]
} {
  const isOfProject = projectFilter(store, options)
  const normalize = cachedNormalizer(store)
  const sessions: SessionHeader[] = []
  const skipped: Unreadable[] = []
  for (const { path } of sortedTranscripts(store)) {
    const found = headerAt(store, path)
    if (isUnreadable(found)) {
      if (found.reason !== GONE) skipped.push(found)
      continue
    }
    const { project } = found
    const projectNormalized =
      found.projectNormalized ?? (project === null ? null : normalize(project))
    const header = { ...found, projectNormalized }
    if (isOfProject(header)) sessions.push(header)
  }
  return { sessions, skipped }
}

function headerAt(store: StoreContext, path: string): SessionHeader | Unreadable {
  const found = withOpenFile(store, path, (file) => {
    const { header } = readHeader(file, readHead(file), new EventReader())
    return header === undefined ? undefined : headerFields(path, header)
  })
  // Without a header, its end shows whether there is an event in it.
  return found ?? readTranscriptInfo(store, path)
}
