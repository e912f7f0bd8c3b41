// One subagent as a listing shows it, from two short looks into its log, as sessions are digested.

import { existsSync } from 'node:fs'
import { isOnChain, type SessionEvent } from '../format/index.js'
import { isLeased, isSkipped, type Skipped } from './session-digest.js'
import { EventReader, fieldsOf, knownTimeOf, textOf } from './session-digest-events.js'
import { lookInto } from './session-digest-file.js'
import { readFirstPrompt, readHeader } from './session-digest-head.js'
import { idOfFileName } from './session-digest-header.js'
import {
  forEachLineBackward,
  readHead,
  readWindows,
  type Window,
} from './session-digest-windows.js'

/**
 * - `completed`, `timeout`, `aborted`, `failed`: as its own ending says
 * - `crashed`: it has none, so its summary is lost
 * - `open`: leased by a living owner
 */
export type SidechainStatus = 'completed' | 'timeout' | 'aborted' | 'failed' | 'crashed' | 'open'

/** Who a subagent is, as its header says; `null` for what a damaged one does not tell. */
export interface SidechainOrigin {
  readonly task_id: string
  readonly parent_session_id: string | null
  /** The event that spawned it, in the log of its parent. */
  readonly parent_uuid: string | null
  /** Of the subagent that spawned this one. */
  readonly parent_task_id: string | null
  readonly depth: number | null
  readonly agent_type: string | null
  readonly tool_call_id: string | null
  readonly startedAt: string | null
}

export interface SidechainDigest extends SidechainOrigin {
  readonly path: string
  readonly status: SidechainStatus
  /** The first words of what it was told to do. */
  readonly prompt: string | null
  readonly summary: string | null
  /** Why it ended as it did. */
  readonly endReason: string | null
  readonly endedAt: string | null
  readonly tokens: number | null
  readonly bytes: number
}

/** From its first 4 KiB; a file without a whole line in it is skipped. */
export function readOrigin(path: string): SidechainOrigin | Skipped {
  return lookInto(path, (fd, size) => {
    const reader = new EventReader()
    const { header, hasEvent } = readHeader(fd, size, readHead(fd, size), reader)
    return hasEvent ? originOf(path, header) : { path, reason: 'no event in it' }
  })
}

/** Reads the first 4 KiB and the last 64 KiB. Never throws for what it finds there. */
export function digestSidechain(path: string): SidechainDigest | Skipped {
  return lookInto(path, (fd, size) => digestBytes(path, fd, size))
}

/** Whether the subagent has said how it ended, and nothing since. */
export function hasEnding(path: string): boolean {
  const ending = lookInto(path, (fd, size) => {
    return { event: findEnding(readWindows(fd, size).tail, new EventReader()) }
  })
  return !isSkipped(ending) && ending.event !== undefined
}

function digestBytes(path: string, fd: number, size: number): SidechainDigest | Skipped {
  const reader = new EventReader()
  const windows = readWindows(fd, size)
  const { head, header, hasEvent, promptsFrom } = readHeader(fd, size, windows.head, reader)
  if (!hasEvent) return { path, reason: 'no event in it' }
  const ending = findEnding(windows.tail, reader)
  const fields = fieldsOf(ending?.payload)
  const isOpen = existsSync(`${path}.lock`) && isLeased(path)
  return {
    ...originOf(path, header),
    path,
    status: isOpen ? 'open' : statusOf(ending),
    prompt: readFirstPrompt(head, promptsFrom, reader),
    summary: textOf(fields['summary']),
    endReason: textOf(fields['reason']),
    endedAt: knownTimeOf(fields['end_ts']) ?? knownTimeOf(ending?.ts),
    tokens: wholeOf(fields['tokens']),
    bytes: size,
  }
}

function originOf(path: string, header: SessionEvent | undefined): SidechainOrigin {
  const fields = fieldsOf(header?.payload)
  return {
    task_id: textOf(fields['task_id']) ?? idOfFileName(path),
    parent_session_id: textOf(fields['parent_session_id']),
    parent_uuid: textOf(fields['parent_uuid']),
    parent_task_id: textOf(fields['parent_task_id']),
    depth: wholeOf(fields['depth']),
    agent_type: textOf(fields['agent_type']),
    tool_call_id: textOf(fields['tool_call_id']),
    startedAt: knownTimeOf(fields['start_ts']) ?? knownTimeOf(header?.ts),
  }
}

/** The terminator behind the last event of the chain. One that the work went on after is none. */
function findEnding(tail: Window, reader: EventReader): SessionEvent | undefined {
  let ending: SessionEvent | undefined
  forEachLineBackward(tail, (start, end) => {
    const kinds = reader.skim(tail.bytes, start, end)
    if (kinds.some(({ type }) => type === 'sidechain_terminator')) {
      // Only now: of a line that does not matter nobody needs the payload.
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
  // A word that nobody knows must not be taken for success.
  return typeof status === 'string' && ENDINGS.includes(status)
    ? (status as SidechainStatus)
    : 'failed'
}

function wholeOf(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null
}
