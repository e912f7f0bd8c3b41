// Counts the lines of logs: in total, by group, and by tool.

import { copiedFromOf, fieldsOf, timeOf } from '../../format/fields.js'
import type { Envelope, SessionEvent } from '../../format/index.js'
import { searchBuffer } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { type Cost, type ModelCost, type Prices, priceModels, sumCosts } from '../cost/prices.js'
import { addTokens, NO_TOKENS, sumTokens, type TokenCounts } from '../cost/usage.js'
import { type ModelUsage, UsageCounter, UsageSums } from '../cost/usage-counter.js'
import type { EventFilter } from '../grep/filter.js'
import { findToolParts, hasFailed } from '../text/tool-parts.js'
import { type CountedEvent, isOfOtherProgram, readCountedLines } from './lines.js'
import type { StatsFile } from './store-stats.js'

export type StatsGrouping = 'session' | 'project' | 'day' | 'type' | 'model' | 'tool'

export interface Tally {
  /** On disk, including newlines and the copied part of a fork. */
  bytes: number
  /** Those of the copied part of a fork count once, here and below. */
  events: number
  /** As the providers counted them. */
  tokens: TokenCounts
  /** Rounded once for each session and model. */
  cost: Cost
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
  /** `null` for sessions without a project, and for lines without a time, type, model or tool. */
  readonly key: string | null
}

export interface ToolStats {
  readonly name: string
  calls: number
  errors: number
}

/** What a model cost in all sessions. */
export interface ModelStats {
  /** `null` where no line says which model it was. */
  readonly model: string | null
  readonly tokens: TokenCounts
  /** In millionths of a dollar; `null` if its price is unknown. */
  microDollars: number | null
}

/** The state of one file while it is counted. */
interface FileState {
  readonly file: StatsFile
  /** Tools by the ids of their calls. */
  readonly calls: Map<string, string>
  readonly usage: UsageCounter
}

const UNKNOWN_TOOL = '?'
const DAY_CHARS = '2026-01-31'.length
/** Groupings in which a line belongs to the group of what it holds, and others to none. */
const PARTIAL: ReadonlySet<StatsGrouping> = new Set(['model', 'tool'])

export class Counting {
  readonly total = newTally()
  readonly #store: StoreContext
  readonly #by: StatsGrouping
  readonly #filter: EventFilter
  readonly #buffer = searchBuffer()
  readonly #groups = new Map<string | null, StatsGroup>()
  readonly #tools = new Map<string, ToolStats>()
  readonly #models = new Map<string | null, ModelStats>()
  readonly #prices: Prices
  /** The usage of the session that is being counted, in all and by group. */
  #sessionUsage = new UsageSums()
  readonly #groupUsage = new Map<StatsGroup, UsageSums>()
  /** The events of each family of forks that were counted. */
  readonly #counted = new Map<string, Set<string>>()

  constructor(
    store: StoreContext,
    {
      by,
      filter,
      prices,
    }: { readonly by: StatsGrouping; readonly filter: EventFilter; readonly prices: Prices },
  ) {
    this.#store = store
    this.#prices = prices
    this.#by = by
    this.#filter = filter
  }

  /** Sources must be added before their forks. */
  addFile(file: StatsFile): void {
    const state: FileState = { file, calls: new Map(), usage: new UsageCounter() }
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

  /** Adds what a session cost, after all its files: an amount is rounded once. */
  endSession(): void {
    const costs = priceModels(this.#prices, this.#sessionUsage.list)
    addCost(this.total.cost, costs)
    for (const { model, tokens, microDollars } of costs) {
      const known = this.#models.get(model)
      const sum = known ?? { model, tokens: { ...NO_TOKENS }, microDollars: 0 }
      addTokens(sum.tokens, tokens)
      const isPriced = sum.microDollars !== null && microDollars !== null
      sum.microDollars = isPriced ? sum.microDollars! + microDollars : null
      this.#models.set(model, sum)
    }
    for (const [group, usage] of this.#groupUsage) {
      addCost(group.cost, priceModels(this.#prices, usage.list))
    }
    this.#sessionUsage = new UsageSums()
    this.#groupUsage.clear()
  }

  /** The one with the most tokens first. */
  models(): ModelStats[] {
    return [...this.#models.values()].sort(
      (one, other) => sumTokens(other.tokens) - sumTokens(one.tokens),
    )
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
    const isRepeated = isCopy || copiedFromOf(event?.payload) !== null
    const isCounted = !isRepeated && event !== undefined
    const { calls, errors } = isCounted ? this.#addTools(event, state, bytes) : NO_TOOLS
    const usage = isCounted && mayUseTokens(event) ? state.usage.take(event) : undefined
    const model = usage === undefined ? undefined : { key: usage.model }
    for (const tally of this.#talliesFor(state.file, envelope, model)) {
      tally.bytes += bytes
      if (!isRepeated) tally.events++
      tally.toolCalls += calls
      tally.errors += errors
      if (usage !== undefined) this.#addUsage(tally, usage)
      if (!isCounted || event.type !== 'compaction_boundary') continue
      tally.compactions++
      tally.tokensSaved += readSavedTokens(event)
    }
  }

  #addUsage(tally: Tally | StatsGroup, usage: ModelUsage): void {
    addTokens(tally.tokens, usage.tokens)
    if (!('key' in tally)) {
      this.#sessionUsage.add(usage)
      return
    }
    const sums = this.#groupUsage.get(tally) ?? new UsageSums()
    sums.add(usage)
    this.#groupUsage.set(tally, sums)
  }

  #addTools(event: SessionEvent, state: FileState, bytes: number): typeof NO_TOOLS {
    // The terminator in the subagent's own log records the same failure.
    if (event.type === 'subagent_result') return { calls: 0, errors: hasFailed(event) ? 1 : 0 }
    let calls = 0
    let errors = 0
    for (const { kind, id = '', name, isError } of findToolParts(event)) {
      const known = name ?? state.calls.get(id)
      if (kind === 'call') {
        calls++
        if (name !== undefined) state.calls.set(id, name)
        this.#toolOf(name ?? UNKNOWN_TOOL).calls++
      } else if (isError) {
        errors++
        this.#toolOf(known ?? UNKNOWN_TOOL).errors++
      }
      if (this.#by !== 'tool') continue
      const group = this.#groupOf(known ?? UNKNOWN_TOOL)
      group.events++
      // A line of a reply holds more than one call.
      if (event.type.startsWith('tool_')) group.bytes += bytes
      if (kind === 'call') group.toolCalls++
      else if (isError) group.errors++
    }
    return { calls, errors }
  }

  #toolOf(name: string): ToolStats {
    const tool = this.#tools.get(name) ?? { name, calls: 0, errors: 0 }
    this.#tools.set(name, tool)
    return tool
  }

  #talliesFor(
    file: StatsFile,
    envelope: Envelope | null,
    model?: { readonly key: string | null },
  ): readonly (Tally | StatsGroup)[] {
    if (!PARTIAL.has(this.#by)) return [this.#groupOf(this.#keyOf(file, envelope)), this.total]
    const isOwn = this.#by === 'model' && model !== undefined
    return isOwn ? [this.#groupOf(model.key), this.total] : [this.total]
  }

  #groupOf(key: string | null): StatsGroup {
    const group = this.#groups.get(key) ?? { key, ...newTally() }
    this.#groups.set(key, group)
    return group
  }

  #keyOf(file: StatsFile, envelope: Envelope | null): string | null {
    if (this.#by === 'session') return file.sessionId
    if (this.#by === 'project') return file.project
    if (this.#by === 'type') return envelope?.type ?? null
    return timeOf(envelope?.ts)?.slice(0, DAY_CHARS) ?? null
  }
}

const NO_TOOLS = { calls: 0, errors: 0 }

function newTally(): Tally {
  return {
    bytes: 0,
    events: 0,
    tokens: { ...NO_TOKENS },
    cost: { microDollars: 0, unpricedTokens: 0 },
    toolCalls: 0,
    errors: 0,
    compactions: 0,
    tokensSaved: 0,
    damaged: 0,
  }
}

/** Programs also record what was used for something else than a reply. */
function mayUseTokens(event: SessionEvent): boolean {
  return event.type === 'assistant' || isOfOtherProgram(event)
}

function addCost(to: Cost, costs: readonly ModelCost[]): void {
  const { microDollars, unpricedTokens } = sumCosts(costs)
  to.microDollars += microDollars
  to.unpricedTokens += unpricedTokens
}

/** By how much a compaction reduced the context; 0 if unknown. */
function readSavedTokens({ payload }: SessionEvent): number {
  const { tokens_before, tokens_after } = fieldsOf(payload)
  if (typeof tokens_after !== 'number') return 0
  return Math.max(0, toCount(tokens_before) - toCount(tokens_after))
}

function toCount(value: unknown): number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
