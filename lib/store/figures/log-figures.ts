// What one log adds up to: turns, tools, tokens by model, and the time that was worked. A log that
// has grown is read on from where the last reading ended.

import { createHash } from 'node:crypto'
import { copiedFromOf, fieldsOf, knownTimeOf, textOf } from '../../format/fields.js'
import { isHeaderType, type SessionEvent } from '../../format/index.js'
import { openForReading, readFullySync } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { type ModelUsage, UsageCounter, type UsageState, UsageSums } from '../cost/usage-counter.js'
import { type CountedEvent, isOfOtherProgram, readCountedLines } from '../stats/lines.js'
import { findToolParts } from '../text/tool-parts.js'

export interface LogFigures {
  /** Prompts of a person, or of the agent that started a subagent. */
  readonly turns: number
  readonly toolCalls: number
  readonly usages: readonly ModelUsage[]
  /** Between events, without pauses of half an hour or more. */
  readonly durationMs: number
  /** The session that a subagent worked for, as its header says. */
  readonly parent: string | null
}

/** What is known of a log after some of its lines. */
export interface LogState extends LogFigures {
  /** The end of the last whole line that was read. */
  readonly offset: number
  /** Of the bytes before it: a log that was replaced is read anew. */
  readonly mark: string
  readonly usage: UsageState
  readonly lastMs: number | null
  /** Lines are still copies of another session's. */
  readonly isCopying: boolean
}

export interface CountLogOptions {
  /** Where an earlier reading ended. */
  readonly from?: LogState | undefined
  /** The last event of a fork that was copied from its source, which has its figures. */
  readonly copiedTo?: string | undefined
}

const PAUSE_MS = 30 * 60 * 1000
const MARK_BYTES = 256

/** Throws what `openForReading` throws. `buffer` is a `searchBuffer`. */
export function countLog(
  store: StoreContext,
  path: string,
  buffer: Buffer,
  { from, copiedTo }: CountLogOptions = {},
): { readonly figures: LogFigures; readonly state: LogState } {
  const isContinued = from !== undefined && markBefore(store, path, from.offset) === from.mark
  const counting = new LogCounting(isContinued ? from : undefined, copiedTo)
  let offset = isContinued ? from.offset : 0
  let before: PartialState | undefined
  for (const line of readCountedLines(store, path, buffer, offset)) {
    // A last line without an end counts, and is read again when it has one.
    if (line.end === undefined) before ??= counting.state
    else offset = line.end
    if (line.kind === 'event') counting.add(line)
  }
  // Without the event at which it was forked, copies cannot be distinguished from its own events.
  if (counting.isCopying) return countLog(store, path, buffer)
  const mark = markBefore(store, path, offset) ?? ''
  const { figures } = counting
  return { figures, state: { ...(before ?? counting.state), offset, mark } }
}

type PartialState = Omit<LogState, 'offset' | 'mark'>

class LogCounting {
  isCopying: boolean
  readonly #copiedTo: string | undefined
  readonly #usage: UsageCounter
  readonly #sums: UsageSums
  #turns: number
  #toolCalls: number
  #durationMs: number
  #lastMs: number | null
  #parent: string | null

  constructor(from: LogState | undefined, copiedTo: string | undefined) {
    this.isCopying = from?.isCopying ?? copiedTo !== undefined
    this.#copiedTo = copiedTo
    this.#usage = new UsageCounter(from?.usage)
    this.#sums = new UsageSums(from?.usages)
    this.#turns = from?.turns ?? 0
    this.#toolCalls = from?.toolCalls ?? 0
    this.#durationMs = from?.durationMs ?? 0
    this.#lastMs = from?.lastMs ?? null
    this.#parent = from?.parent ?? null
  }

  get figures(): LogFigures {
    return {
      turns: this.#turns,
      toolCalls: this.#toolCalls,
      usages: structuredClone(this.#sums.list),
      durationMs: this.#durationMs,
      parent: this.#parent,
    }
  }

  get state(): PartialState {
    const usage = structuredClone(this.#usage.state)
    return { ...this.figures, usage, lastMs: this.#lastMs, isCopying: this.isCopying }
  }

  add({ envelope, event }: CountedEvent): void {
    if (this.isCopying) {
      if (envelope.uuid === this.#copiedTo) this.isCopying = false
      return
    }
    if (isHeaderType(envelope.type) && event !== undefined) this.#addHeader(event)
    if (copiedFromOf(event?.payload) !== null) return
    this.#addTime(envelope.ts)
    if (event === undefined) return
    if (isTurn(event)) this.#turns++
    for (const { kind } of findToolParts(event)) if (kind === 'call') this.#toolCalls++
    if (event.type !== 'assistant' && !isOfOtherProgram(event)) return
    const usage = this.#usage.take(event)
    if (usage !== undefined) this.#sums.add(usage)
  }

  #addHeader({ payload }: SessionEvent): void {
    this.#parent ??= textOf(fieldsOf(payload)['parent_session_id'])
  }

  #addTime(ts: unknown): void {
    const time = knownTimeOf(ts)
    if (time === null) return
    const now = Date.parse(time)
    const gap = now - (this.#lastMs ?? now)
    if (gap > 0 && gap < PAUSE_MS) this.#durationMs += gap
    if (this.#lastMs === null || gap > 0) this.#lastMs = now
  }
}

/** A prompt: neither the result of a tool nor what a program added. */
function isTurn({ type, payload }: SessionEvent): boolean {
  if (type !== 'user') return false
  const { content, is_meta } = fieldsOf(payload)
  if (is_meta === true) return false
  return !Array.isArray(content) || fieldsOf(content[0])['type'] !== 'tool_result'
}

/** A hash of the bytes before an offset; `undefined` if the file is shorter. */
function markBefore({ env }: StoreContext, path: string, offset: number): string | undefined {
  const log = openForReading(path, env)
  try {
    if (log.size < offset) return undefined
    const bytes = Buffer.alloc(Math.min(offset, MARK_BYTES))
    const { length } = bytes
    readFullySync(log, bytes, { at: 0, length, position: offset - length })
    return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  } finally {
    env.fs.closeSync(log.fd)
  }
}
