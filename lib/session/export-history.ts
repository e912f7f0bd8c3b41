// Everything that was written of a session, in the order of its files: the transcript first, then
// the logs of its subagents in the order in which they were started.

import { fieldsOf } from '../chain/index.js'
import { SessionError } from '../errors.js'
import type { ExportItem } from '../exporters/index.js'
import { type EventEntry, type LogEntry, readLog } from '../log/index.js'
import {
  findEvent,
  layoutOf,
  listSidechains,
  type SessionDigest,
  type SidechainDigest,
} from '../store/index.js'
import type { ExportOptions } from './export.js'

export async function* historyItems(
  digest: SessionDigest,
  options: ExportOptions,
): AsyncGenerator<ExportItem, void, undefined> {
  const { path, session_id, startedAt } = digest
  const spawned = new Set<string>()
  yield { kind: 'log', channel: 'transcript', name: session_id, startedAt }
  for await (const entry of entriesOf(path, options)) {
    if (entry.kind === 'event') noteSpawn(entry, spawned)
    yield itemOf(entry)
  }
  for (const child of childrenOf(digest, spawned, options)) {
    const { task_id: name, startedAt } = child
    yield { kind: 'log', channel: 'sidechain', name, startedAt }
    for await (const entry of entriesOf(child.path, { ...options, at: undefined })) {
      yield itemOf(entry)
    }
  }
}

async function* entriesOf(
  path: string,
  { at, signal, onDiagnostic }: ExportOptions,
): AsyncGenerator<LogEntry, void, undefined> {
  const last = at === undefined ? undefined : findEvent(path, at)
  if (at !== undefined && last === undefined) {
    throw new SessionError('ERR_NOT_FOUND', `No event "${at}" in ${path}`, { at, path })
  }
  for await (const entry of readLog(path, { signal })) {
    if (last !== undefined && entry.byte_offset > last.byte_offset) return
    for (const told of entry.diagnostics ?? []) onDiagnostic?.(told)
    yield entry
  }
}

function itemOf(entry: LogEntry): ExportItem {
  if (entry.kind === 'event') return { kind: 'event', event: entry.event }
  const { reason, byte_offset, length } = entry
  return { kind: 'damage', reason, byte_offset, length }
}

/** Only a file that is the transcript of its session has children; a copy elsewhere has none. */
function childrenOf(
  { path, session_id }: SessionDigest,
  spawned: ReadonlySet<string>,
  { children = true, at, ...options }: ExportOptions,
): readonly SidechainDigest[] {
  if (!children || layoutOf(options).transcriptPath(session_id) !== path) return []
  const { sidechains } = listSidechains({ ...options, session: session_id })
  if (at === undefined) return sidechains
  // Of an earlier time: those that were there, and what they spawned in turn.
  const known = new Set(spawned)
  return sidechains.filter(({ task_id, parent_task_id }) => {
    const isThere = known.has(parent_task_id ?? task_id)
    if (isThere) known.add(task_id)
    return isThere
  })
}

function noteSpawn({ event }: EventEntry, spawned: Set<string>): void {
  if (event.type !== 'subagent_spawn') return
  const { task_id } = fieldsOf(event.payload)
  if (typeof task_id === 'string') spawned.add(task_id)
}
