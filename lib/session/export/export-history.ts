// Everything that was written of a session: the files it was continued from, its transcript, then the
// logs of its subagents in the order in which they were started.

import { fieldsOf } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import type { ExportItem } from '../../interchange/index.js'
import { type EventEntry, type LogEntry, readLog } from '../../log/index.js'
import {
  type Chapter,
  findEvent,
  listSidechains,
  readBranch,
  type SessionInfo,
  type SidechainInfo,
  type StoreContext,
} from '../../store/index.js'
import type { ExportOptions } from './export.js'

/** `ancestors`: the files that the session begins in, oldest first. */
export async function* historyItems(
  store: StoreContext,
  digest: SessionInfo,
  options: ExportOptions & { readonly ancestors: readonly Chapter[] },
): AsyncGenerator<ExportItem, void, undefined> {
  const { path, sessionId: name, startedAt } = digest
  const { ancestors, format = 'jsonl' } = options
  const spawned = new Set<string>()
  const isContinued = ancestors.length > 0
  const own: ExportItem = { kind: 'log', channel: 'transcript', name, startedAt, isContinued }
  if (format === 'jsonl') {
    for (const { path, sessionId: name, end: to } of ancestors) {
      yield { kind: 'log', channel: 'ancestor', name, startedAt: null }
      for await (const entry of readEntries(store, path, { to, signal: options.signal })) {
        yield toItem(entry)
      }
    }
    yield own
    for await (const entry of readEntries(store, path, options)) {
      if (entry.kind === 'event') noteSpawn(entry, spawned)
      yield toItem(entry)
    }
  } else yield* branchItems(store, own, path, { ...options, spawned })
  for (const child of listChildren(store, digest, spawned, options)) {
    const { taskId: name, startedAt } = child
    yield { kind: 'log', channel: 'sidechain', name, startedAt }
    for await (const entry of readEntries(store, child.path, { signal: options.signal })) {
      yield toItem(entry)
    }
  }
}

/** For pages: the conversation as it happened, without branches that were left. */
async function* branchItems(
  store: StoreContext,
  own: ExportItem,
  path: string,
  { at, signal, spawned }: ExportOptions & { readonly spawned: Set<string> },
): AsyncGenerator<ExportItem, void, undefined> {
  let current: string | undefined
  for await (const { entry, ...from } of readBranch(store, path, { at, signal })) {
    if (from.path !== current) {
      current = from.path
      const ancestor = { kind: 'log', channel: 'ancestor', name: from.sessionId } as const
      yield current === path ? own : { ...ancestor, startedAt: null }
    }
    for (const found of entry.diagnostics ?? []) store.report(found)
    if (entry.kind === 'event') noteSpawn(entry, spawned)
    yield toItem(entry)
  }
}

async function* readEntries(
  store: StoreContext,
  path: string,
  { at, to, signal }: Pick<ExportOptions, 'at' | 'signal'> & { readonly to?: number },
): AsyncGenerator<LogEntry, void, undefined> {
  const last = at === undefined ? undefined : findEvent(store, path, at)
  if (at !== undefined && last === undefined) {
    throw new SessionError('ERR_NOT_FOUND', `No event "${at}" in ${path}`, { at, path })
  }
  for await (const entry of readLog(path, { to, signal, environment: store.env })) {
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
