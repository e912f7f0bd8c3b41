// Checks that what a log refers to exists: the session of a subagent, the transcript of a waiting
// event, the session that another one continues, and the project of checkpoints.

import { basename, join } from 'node:path'
import { fieldsOf, textOf } from '../../format/fields.js'
import { readLogSync } from '../../log/index.js'
import { isUnreadable, readSessionInfo } from '../catalog/session-info.js'
import type { Layout, StoreContext } from '../context.js'
import { LOG_EXTENSION } from '../list-logs.js'
import { readOrigin } from '../sidechains/sidechain-info.js'
import { readIfReadable } from './check-log.js'
import type { StoreFinding } from './findings.js'
import type { StoreEntry } from './list-entries.js'

/** `layout` is that of the agent whose entry it is. */
export function checkReferences(
  store: StoreContext,
  layout: Layout,
  { channel, path }: StoreEntry,
): StoreFinding[] {
  const { fs } = store.env
  const hasTranscript = (id: string) => fs.existsSync(layout.transcriptPath(id))
  const finding = (
    code: StoreFinding['code'],
    severity: StoreFinding['severity'],
    message: string,
  ): StoreFinding[] => [{ code, severity, path, message }]

  if (channel === 'transcripts') {
    const info = readSessionInfo(store, path)
    // A fork has a copy of what it needs.
    const parent = isUnreadable(info) ? undefined : info.resumedFrom?.sessionId
    if (parent === undefined || hasTranscript(parent)) return []
    const message = `it continues session "${parent}", which is missing`
    return finding('parent_session_missing', 'warning', message)
  }
  if (channel === 'sidechains') {
    const origin = readOrigin(store, path)
    if (isUnreadable(origin)) return []
    const { parentSessionId: parent } = origin
    if (parent !== null && hasTranscript(parent)) return []
    const whose = parent === null ? 'an unknown session' : `session "${parent}", which is missing`
    return finding('orphan', 'warning', `a subagent of ${whose}`)
  }
  if (channel === 'spool') {
    const name = basename(path)
    // Neither the time nor what follows it contains two dashes in a row.
    const session = name.slice(0, Math.max(0, name.lastIndexOf('--')))
    if (session !== '' && fs.existsSync(join(layout.transcripts, session + LOG_EXTENSION))) {
      return finding('orphan', 'info', `it waits for the next writer of ${session}`)
    }
    const message = `it waits for a missing session: ${session || 'its name has none'}`
    return finding('orphan', 'warning', message)
  }
  if (channel === 'checkpoints') {
    const project = readIfReadable(() => readProject(store, path))
    if (project === undefined || fs.existsSync(project)) return []
    const message = `checkpoints of ${project}, which is missing; see relocate`
    return finding('project_missing', 'info', message)
  }
  return []
}

function readProject({ env }: StoreContext, path: string): string | undefined {
  for (const entry of readLogSync(path, { environment: env })) {
    if (entry.kind !== 'event') continue
    return textOf(fieldsOf(entry.event.payload)['project_normalized']) ?? undefined
  }
  return undefined
}
