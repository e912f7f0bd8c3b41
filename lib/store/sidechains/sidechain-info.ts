// One subagent as a listing shows it, from two short looks into its log, as sessions are digested.

import { fieldsOf, knownTimeOf, textOf } from '../../format/fields.js'
import { isOnChain, type SessionEvent } from '../../format/index.js'
import {
  forEachLineBackward,
  type OpenFile,
  readHead,
  readWindows,
  type Window,
} from '../catalog/file-windows.js'
import { idOfFileName } from '../catalog/header-fields.js'
import { readFirstPrompt, readHeader } from '../catalog/read-head.js'
import { isLeased, isUnreadable, type Unreadable, withOpenFile } from '../catalog/session-info.js'
import { EventReader } from '../catalog/skim-events.js'
import type { StoreContext } from '../context.js'

/**
 * - `completed`, `timeout`, `aborted`, `failed`: as its own ending says
 * - `crashed`: it has none, so its summary is lost
 * - `open`: leased by a living owner
 */
export type SidechainStatus = 'completed' | 'timeout' | 'aborted' | 'failed' | 'crashed' | 'open'

/** A subagent as its header describes it; `null` for fields that a damaged one lacks. */
export interface SidechainOrigin {
  readonly path: string
  readonly taskId: string
  readonly parentSessionId: string | null
  /** The event that spawned it, in the log of its parent. */
  readonly parentUuid: string | null
  /** Of the subagent that spawned this one. */
  readonly parentTaskId: string | null
  readonly depth: number | null
  readonly agentType: string | null
  readonly toolCallId: string | null
  readonly startedAt: string | null
}

export interface SidechainInfo extends SidechainOrigin {
  readonly status: SidechainStatus
  /** The first words of its prompt. */
  readonly prompt: string | null
  readonly summary: string | null
  /** Why it ended as it did. */
  readonly endReason: string | null
  readonly endedAt: string | null
  readonly tokens: number | null
  readonly bytes: number
}

/** From its first 4 KiB; a file without a whole line in it is skipped. */
export function readOrigin(store: StoreContext, path: string): SidechainOrigin | Unreadable {
  return withOpenFile(store, path, (file) => {
    const reader = new EventReader()
    const { header, hasEvent } = readHeader(file, readHead(file), reader)
    return hasEvent ? originOf(path, header) : { path, reason: 'no event in it' }
  })
}

/** Reads the first 4 KiB and the last 64 KiB. Never throws for what it finds there. */
export function readSidechainInfo(store: StoreContext, path: string): SidechainInfo | Unreadable {
  return withOpenFile(store, path, (file) => digestBytes(store, path, file))
}

/** Whether the subagent has said how it ended, and nothing since. */
export function hasEnding(store: StoreContext, path: string): boolean {
  const ending = withOpenFile(store, path, (file) => {
    return { event: findEnding(readWindows(file).tail, new EventReader()) }
  })
  return !isUnreadable(ending) && ending.event !== undefined
}

function digestBytes(
  store: StoreContext,
  path: string,
  file: OpenFile,
): SidechainInfo | Unreadable {
  const reader = new EventReader()
  const windows = readWindows(file)
  const { head, header, hasEvent, promptsFrom } = readHeader(file, windows.head, reader)
  if (!hasEvent) return { path, reason: 'no event in it' }
  const ending = findEnding(windows.tail, reader)
  const fields = fieldsOf(ending?.payload)
  const isOpen = store.env.fs.existsSync(`${path}.lock`) && isLeased(store, path)
  return {
    ...originOf(path, header),
    status: isOpen ? 'open' : statusOf(ending),
    prompt: readFirstPrompt(head, promptsFrom, reader),
    summary: textOf(fields['summary']),
    endReason: textOf(fields['reason']),
    endedAt: knownTimeOf(fields['end_ts']) ?? knownTimeOf(ending?.ts),
    tokens: wholeOf(fields['tokens']),
    bytes: file.size,
  }
}

function originOf(path: string, header: SessionEvent | undefined): SidechainOrigin {
  const fields = fieldsOf(header?.payload)
  return {
    path,
    taskId: textOf(fields['task_id']) ?? idOfFileName(path),
    parentSessionId: textOf(fields['parent_session_id']),
    parentUuid: textOf(fields['parent_uuid']),
    parentTaskId: textOf(fields['parent_task_id']),
    depth: wholeOf(fields['depth']),
    agentType: textOf(fields['agent_type']),
    toolCallId: textOf(fields['tool_call_id']),
    startedAt: knownTimeOf(fields['start_ts']) ?? knownTimeOf(header?.ts),
  }
}

/** The terminator after the last event of the chain; one that more work follows does not count. */
function findEnding(tail: Window, reader: EventReader): SessionEvent | undefined {
  let ending: SessionEvent | undefined
  forEachLineBackward(tail, (start, end) => {
    const kinds = reader.skim(tail.bytes, start, end)
    if (kinds.some(({ type }) => type === 'sidechain_terminator')) {
      // Only here the payload is needed.
      const events = reader.read(tail.bytes, start, end)
      ending = events.findLast(({ type }) => type === 'sidechain_terminator')
      return true
    }
    return kinds.some(isOnChain)
  })
  return ending
}

const ENDINGS: readonly string[] = ['completed', 'timeout', 'aborted', 'failed', 'crashed']

function statusOf(ending: SessionEvent | undefined): SidechainStatus {
  if (ending === undefined) return 'crashed'
  const status = fieldsOf(ending.payload)['completion_status']
  // An unknown status must not count as success.
  return typeof status === 'string' && ENDINGS.includes(status)
    ? (status as SidechainStatus)
    : 'failed'
}

function wholeOf(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null
}
