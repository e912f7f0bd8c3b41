// Counts the lines of logs: in total, by group, and by tool.

import { copiedFromOf, fieldsOf, textOf, timeOf } from '../../format/fields.js'
import type { Envelope, SessionEvent } from '../../format/index.js'
import { searchBuffer } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import type { EventFilter } from '../grep/filter.js'
import { findToolParts, hasFailed } from '../text/tool-parts.js'
import { type CountedEvent, isOfOtherProgram, readCountedLines } from './lines.js'
import type { StatsFile } from './store-stats.js'

export type StatsGrouping = 'session' | 'project' | 'day' | 'type'

export interface TokenCounts {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
}

export interface Tally {
  /** On disk, including newlines and the copied part of a fork. */
  bytes: number
  /** Those of the copied part of a fork count once, here and below. */
  events: number
  /** As the providers counted them. */
  tokens: TokenCounts
  toolCalls: number
  /** Failed tools and subagents. */
  errors: number
  compactions: number
  /** By how much compactions reduced the context, where both sizes were recorded. */
  tokensSaved: number
  /** Ranges of bytes without an event. */
  damaged: number
}

export interface StatsGroup extends Tally {
  /** `null` for sessions without a project, and for lines without a time or type. */
  readonly key: string | null
}

export interface ToolStats {
  readonly name: string
  calls: number
  errors: number
}

/** The state of one file while it is counted. */
interface FileState {
  readonly file: StatsFile
  /** Tools by the ids of their calls. */
  readonly calls: Map<string, string>
  /** A reply recorded in several events repeats its tokens in each. */
  lastReply: { readonly id: string; readonly tokens: Readonly<TokenCounts> } | undefined
}

const UNKNOWN_TOOL = '?'
const DAY_CHARS = '2026-01-31'.length
const NO_TOKENS: Readonly<TokenCounts> = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export class Counting {
  readonly total = newTally()
  readonly #store: StoreContext
  readonly #by: StatsGrouping
  readonly #filter: EventFilter
  readonly #buffer = searchBuffer()
  readonly #groups = new Map<string | null, StatsGroup>()
  readonly #tools = new Map<string, ToolStats>()
  /** The events of each family of forks that were counted. */
  readonly #counted = new Map<string, Set<string>>()

  constructor(store: StoreContext, by: StatsGrouping, filter: EventFilter) {
    this.#store = store
    this.#by = by
    this.#filter = filter
  }

  /** Sources must be added before their forks. */
  addFile(file: StatsFile): void {
    const state: FileState = { file, calls: new Map(), lastReply: undefined }
    const isCopy = this.#copyCheck(file)
    for (const line of readCountedLines(this.#store, file.path, this.#buffer)) {
      if (line.kind === 'event') this.#addEvent(line, state, isCopy(line.envelope))
      // Damage has no time, so it counts only without a filter by time.
      else if (!this.#filter.hasTimes) {
        for (const tally of this.#talliesFor(file, null)) {
          tally.bytes += line.bytes
          tally.damaged++
        }
      }
    }
  }

  /** The largest first; days in their order. */
  groups(): StatsGroup[] {
    return [...this.#groups.values()].sort((one, other) =>
      this.#by === 'day' ? compare(one.key ?? '', other.key ?? '') : other.bytes - one.bytes,
    )
  }

  /** The most used first. */
  tools(): ToolStats[] {
    return [...this.#tools.values()].sort(
      (one, other) => other.calls - one.calls || compare(one.name, other.name),
    )
  }

  /**
   * Which events of a fork were copied from its source, and so were counted there. If the source is
   * missing, they count for the first of its forks. To be called for every event, in order.
   */
  #copyCheck({ family, copiedTo }: StatsFile): (envelope: Envelope) => boolean {
    if (family === undefined) return () => false
    const counted = this.#counted.get(family) ?? new Set()
    this.#counted.set(family, counted)
    let isCopying = copiedTo !== undefined
    return ({ uuid, type }) => {
      // After the copied part there may only be copies of revised summaries.
      const mayBeCopy = isCopying || (copiedTo !== undefined && type === 'summary_revision')
      const isCopy = mayBeCopy && counted.has(uuid)
      if (uuid === copiedTo) isCopying = false
      counted.add(uuid)
      return isCopy
    }
  }

  #addEvent({ envelope, event, bytes }: CountedEvent, state: FileState, isCopy: boolean): void {
    if (!this.#filter.mayMatch(envelope)) return
    const tallies = this.#talliesFor(state.file, envelope)
    const isRepeated = isCopy || copiedFromOf(event?.payload) !== null
    const isCounted = !isRepeated && event !== undefined
    const { calls, errors } = isCounted ? this.#addTools(event, state) : { calls: 0, errors: 0 }
    const tokens = isCounted ? readNewTokens(event, state) : NO_TOKENS
    for (const tally of tallies) {
      tally.bytes += bytes
      if (!isRepeated) tally.events++
      tally.toolCalls += calls
      tally.errors += errors
      addTokens(tally.tokens, tokens)
      if (!isCounted || event.type !== 'compaction_boundary') continue
      tally.compactions++
      tally.tokensSaved += readSavedTokens(event)
    }
  }

  #addTools(event: SessionEvent, state: FileState): { calls: number; errors: number } {
    // The terminator in the subagent's own log records the same failure.
    if (event.type === 'subagent_result') return { calls: 0, errors: hasFailed(event) ? 1 : 0 }
    let calls = 0
    let errors = 0
    for (const { kind, id = '', name, isError } of findToolParts(event)) {
      if (kind === 'call') {
        calls++
        if (name !== undefined) state.calls.set(id, name)
        this.#toolOf(name ?? UNKNOWN_TOOL).calls++
      } else if (isError) {
        errors++
        this.#toolOf(name ?? state.calls.get(id) ?? UNKNOWN_TOOL).errors++
      }
    }
    return { calls, errors }
  }

  #toolOf(name: string): ToolStats {
    const tool = this.#tools.get(name) ?? { name, calls: 0, errors: 0 }
    this.#tools.set(name, tool)
    return tool
  }

  #talliesFor(file: StatsFile, envelope: Envelope | null): readonly Tally[] {
    const key = this.#keyOf(file, envelope)
    const group = this.#groups.get(key) ?? { key, ...newTally() }
    this.#groups.set(key, group)
    return [group, this.total]
  }

  #keyOf(file: StatsFile, envelope: Envelope | null): string | null {
    if (this.#by === 'session') return file.sessionId
    if (this.#by === 'project') return file.project
    if (this.#by === 'type') return envelope?.type ?? null
    return timeOf(envelope?.ts)?.slice(0, DAY_CHARS) ?? null
  }
}

function newTally(): Tally {
  return {
    bytes: 0,
    events: 0,
    tokens: { ...NO_TOKENS },
    toolCalls: 0,
    errors: 0,
    compactions: 0,
    tokensSaved: 0,
    damaged: 0,
  }
}

/**
 * Of a reply in several events, what the last of them adds to those before. Programs also record what
 * was used for something else than a reply.
 */
function readNewTokens(event: SessionEvent, state: FileState): Readonly<TokenCounts> {
  if (isOfOtherProgram(event)) return readTokens(fieldsOf(fieldsOf(event.payload)['usage']))
  if (event.type !== 'assistant') return NO_TOKENS
  const { usage, message_id } = fieldsOf(event.payload)
  const tokens = readTokens(fieldsOf(usage))
  const added = { ...tokens }
  const id = textOf(message_id)
  if (id !== null && state.lastReply?.id === id) addTokens(added, state.lastReply.tokens, -1)
  state.lastReply = id === null ? undefined : { id, tokens }
  return added
}

function readTokens(usage: Readonly<Record<string, unknown>>): Readonly<TokenCounts> {
  if (usage['input_tokens'] === undefined && usage['output_tokens'] === undefined) return NO_TOKENS
  return {
    input: toCount(usage['input_tokens']),
    output: toCount(usage['output_tokens']),
    // The second name of each is the provider's own.
    cacheRead: toCount(usage['cache_read_tokens'] ?? usage['cache_read_input_tokens']),
    cacheWrite: toCount(usage['cache_write_tokens'] ?? usage['cache_creation_input_tokens']),
  }
}

/** By how much a compaction reduced the context; 0 if unknown. */
function readSavedTokens({ payload }: SessionEvent): number {
  const { tokens_before, tokens_after } = fieldsOf(payload)
  if (typeof tokens_after !== 'number') return 0
  return Math.max(0, toCount(tokens_before) - toCount(tokens_after))
}

function addTokens(
  to: TokenCounts,
  { input, output, cacheRead, cacheWrite }: Readonly<TokenCounts>,
  sign: 1 | -1 = 1,
): void {
  to.input += sign * input
  to.output += sign * output
  to.cacheRead += sign * cacheRead
  to.cacheWrite += sign * cacheWrite
}

function toCount(value: unknown): number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
