// Who belongs to whom in a store: subagents to sessions, waiting events to transcripts, sessions
// to those they continue, and checkpoints to projects.

import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readLogSync } from '../log/index.js'
import type { StoreFinding } from './health.js'
import type { AgentStore, StoreEntry } from './health-folders.js'
import { readable } from './health-log.js'
import { LOG_EXTENSION } from './log-names.js'
import { digestTranscript, isSkipped } from './session-digest.js'
import { fieldsOf, textOf } from './session-digest-events.js'
import { readOrigin } from './sidechain-digest.js'

export function checkKinship({ layout }: AgentStore, entry: StoreEntry): StoreFinding[] {
  const hasTranscript = (id: string) => existsSync(layout.transcriptPath(id))
  switch (entry.channel) {
    case 'transcripts':
      return checkLineage(entry.path, hasTranscript)
    case 'sidechains':
      return checkParent(entry.path, hasTranscript)
    case 'spool':
      return checkWaiting(entry.path, layout.transcripts)
    case 'checkpoints':
      return readable(() => checkProject(entry.path)) ?? []
    default:
      return []
  }
}

function checkLineage(path: string, hasTranscript: (id: string) => boolean): StoreFinding[] {
  const digest = digestTranscript(path)
  if (isSkipped(digest)) return []
  // A fork has a copy of what it needs.
  const origin = digest.resumedFrom
  if (origin === null || hasTranscript(origin.session_id)) return []
  const message = `it continues session "${origin.session_id}", which is not there`
  return [{ code: 'lineage', severity: 'warning', path, message }]
}

function checkParent(path: string, hasTranscript: (id: string) => boolean): StoreFinding[] {
  const origin = readOrigin(path)
  if (isSkipped(origin)) return []
  const { parent_session_id: parent } = origin
  if (parent !== null && hasTranscript(parent)) return []
  const whose = parent === null ? 'no session that it tells' : `session "${parent}", not there`
  return [{ code: 'orphan', severity: 'warning', path, message: `a subagent of ${whose}` }]
}

function checkWaiting(path: string, transcripts: string): StoreFinding[] {
  const name = basename(path)
  // Neither the time nor what follows it holds two dashes in a row.
  const session = name.slice(0, Math.max(0, name.lastIndexOf('--')))
  if (session !== '' && existsSync(join(transcripts, session + LOG_EXTENSION))) {
    const message = `it waits for the next writer of ${session}`
    return [{ code: 'orphan', severity: 'info', path, message }]
  }
  const message = `it waits for a session that is not there: ${session || 'none is named'}`
  return [{ code: 'orphan', severity: 'warning', path, message }]
}

function checkProject(path: string): StoreFinding[] {
  for (const entry of readLogSync(path)) {
    if (entry.kind !== 'event') continue
    const project = textOf(fieldsOf(entry.event.payload)['project_normalized'])
    if (project === null || existsSync(project)) return []
    const message = `checkpoints of ${project}, which is not there any more; see relocate`
    return [{ code: 'gone_project', severity: 'info', path, message }]
  }
  return []
}
