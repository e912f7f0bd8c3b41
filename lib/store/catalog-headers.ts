// The sessions of a store as far as their headers tell: for those who read the rest themselves.

import { cachedNormalizer, sortedTranscripts } from './catalog-folder.js'
import { projectFilter } from './catalog-select.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { isSkipped, type SessionDigest, type Skipped } from './session-digest.js'
import { EventReader } from './session-digest-events.js'
import { digestFile, GONE, lookInto } from './session-digest-file.js'
import { readHeader } from './session-digest-head.js'
import { headerFields } from './session-digest-header.js'
import { readHead } from './session-digest-windows.js'

export type SessionHeader = Pick<
  SessionDigest,
  'session_id' | 'path' | 'project' | 'projectNormalized' | 'forkedFrom'
>

/** Of every kind, in the order of their names. */
export function listHeaders(options: StoreOptions & { project?: string | undefined }): {
  readonly sessions: readonly SessionHeader[]
  readonly skipped: readonly Skipped[]
} {
  const isOfProject = projectFilter(options)
  const normalize = cachedNormalizer()
  const sessions: SessionHeader[] = []
  const skipped: Skipped[] = []
  for (const { path } of sortedTranscripts(layoutOf(options).transcripts)) {
    const found = headerAt(path)
    if (isSkipped(found)) {
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

function headerAt(path: string): SessionHeader | Skipped {
  const found = lookInto(path, (fd, size) => {
    const { header } = readHeader(fd, size, readHead(fd, size), new EventReader())
    return header === undefined ? undefined : headerFields(path, header)
  })
  // Without one, only a look at its end tells whether there is anything in it.
  return found ?? digestFile(path)
}
