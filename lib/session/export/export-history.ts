// Everything that was written of a session: the transcript, then the logs of its subagents in the
// order in which they were started.

import { fieldsOf } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import type { ExportItem } from '../../interchange/index.js'
import { type EventEntry, type LogEntry, readLog } from '../../log/index.js'
import {
  findEvent,
  listSidechains,
  type SessionInfo,
  type SidechainInfo,
  type StoreContext,
} from '../../store/index.js'
import type { ExportOptions } from './export.js'

export async function* historyItems(
  store: StoreContext,
  digest: SessionInfo,
  options: ExportOptions,
): AsyncGenerator<ExportItem, void, undefined> {
  const { path, sessionId: name, startedAt } = digest
  const spawned = new Set<string>()
  yield { kind: 'log', channel: 'transcript', name, startedAt }
  for await (const entry of readEntries(store, path, options)) {
    if (entry.kind === 'event') noteSpawn(entry, spawned)
    yield toItem(entry)
  }
  for (const child of listChildren(store, digest, spawned, options)) {
    const { taskId: name, startedAt } = child
    yield { kind: 'log', channel: 'sidechain', name, startedAt }
    for await (const entry of readEntries(store, child.path, { signal: options.signal })) {
      yield toItem(entry)
    }
  }
}

async function* readEntries(
  store: StoreContext,
  path: string,
  { at, signal }: Pick<ExportOptions, 'at' | 'signal'>,
): AsyncGenerator<LogEntry, void, undefined> {
  const last = at === undefined ? undefined : findEvent(store, path, at)
  if (at !== undefined && last === undefined) {
    throw new SessionError('ERR_NOT_FOUND', `No event "${at}" in ${path}`, { at, path })
  }
  for await (const entry of readLog(path, { signal, environment: store.env })) {
    if (last !== undefined && entry.byte_offset > last.byte_offset) return
    for (const found of entry.diagnostics ?? []) store.report(found)
    yield entry
  }
}

function toItem(entry: LogEntry): ExportItem {
  if (entry.kind === 'event') return { kind: 'event', event: entry.event }
  const { reason, byte_offset: byteOffset, length } = entry
  return { kind: 'damage', reason, byteOffset, length }
}

/** Only the transcript in the store has children; a copy elsewhere has none. */
function listChildren(
  store: StoreContext,
  { path, sessionId }: SessionInfo,
  spawned: ReadonlySet<string>,
  { children = true, at }: ExportOptions,
): readonly SidechainInfo[] {
  if (!children || store.layout.transcriptPath(sessionId) !== path) return []
  const { sidechains } = listSidechains(store, { session: sessionId })
  if (at === undefined) return sidechains
  // Up to an event: the subagents spawned before it, and their own subagents.
  const included = new Set(spawned)
  return sidechains.filter(({ taskId, parentTaskId }) => {
    const isIncluded = included.has(parentTaskId ?? taskId)
    if (isIncluded) included.add(taskId)
    return isIncluded
  })
}

function noteSpawn({ event }: EventEntry, spawned: Set<string>): void {
  if (event.type !== 'subagent_spawn') return
  const { task_id } = fieldsOf(event.payload)
  if (typeof task_id === 'string') spawned.add(task_id)
}
