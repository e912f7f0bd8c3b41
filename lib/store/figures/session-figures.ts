// What sessions add up to, for lists of thousands of them: turns, tokens, cost, model and duration,
// with their subagents. Read from the logs once, and then from a cache until a log changes.

import { isSessionError } from '../../errors.js'
import { searchBuffer, statIfThere } from '../../log/internal.js'
import type { SessionInfo, Unreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { type Cost, loadPrices, type ModelCost, priceModels, sumCosts } from '../cost/prices.js'
import { addTokens, NO_TOKENS, type TokenCounts } from '../cost/usage.js'
import { type ModelUsage, UsageSums } from '../cost/usage-counter.js'
import { listSidechainPaths } from '../sidechains/list-sidechains.js'
import { listTranscripts } from '../transcripts.js'
import { FiguresCache, stampOf } from './figures-cache.js'
import { countLog, type LogFigures } from './log-figures.js'

/** What a session adds up to. What a fork copied counts for its source. */
export interface SessionFigures {
  /** Prompts, without those of subagents. */
  readonly turns: number
  /** Between events, without pauses of half an hour or more. */
  readonly durationMs: number
  /** With those of subagents, as are tokens and cost. */
  readonly toolCalls: number
  readonly tokens: Readonly<TokenCounts>
  readonly cost: Cost
  /** The model of the newest reply; `null` where no line says it. */
  readonly model: string | null
  /** The one with the most tokens first. */
  readonly models: readonly ModelCost[]
  /** How many logs of subagents it has. */
  readonly subagents: number
}

export interface SessionFiguresOptions {
  /**
   * A JSON file with prices that take precedence over those of the package `genai-prices`.
   *
   * @default none
   */
  pricesFile?: string | undefined

  /**
   * Aborts the call.
   *
   * @default none
   */
  signal?: AbortSignal | undefined
}

/** The figures of sessions by their ids, and the logs that could not be read. */
export interface SessionFiguresList {
  readonly figures: ReadonlyMap<string, SessionFigures>
  readonly skipped: readonly Unreadable[]
}

/** Lets other tasks run after this time. */
const SLICE_MS = 50

/** Reads what is not in the cache; a log that has grown is read on from where it was. */
export async function readSessionFigures(
  store: StoreContext,
  sessions: readonly Pick<SessionInfo, 'sessionId' | 'path' | 'forkedFrom'>[],
  { pricesFile, signal }: SessionFiguresOptions = {},
): Promise<SessionFiguresList> {
  const prices = await loadPrices(store, { file: pricesFile })
  const reader = new FiguresReader(store, signal)
  const sidechainPaths = listSidechainPaths(store)
  const children = new Map<string, LogFigures[]>()
  const own = new Map<string, LogFigures>()
  try {
    const wanted = new Set(sessions.map(({ sessionId }) => sessionId))
    for (const path of sidechainPaths) {
      const found = await reader.read('sidechains', path)
      if (found?.parent == null || !wanted.has(found.parent)) continue
      const siblings = children.get(found.parent) ?? []
      siblings.push(found)
      children.set(found.parent, siblings)
    }
    for (const { sessionId, path, forkedFrom } of sessions) {
      const found = await reader.read('transcripts', path, forkedFrom?.atUuid ?? undefined)
      if (found !== undefined) own.set(sessionId, found)
    }
  } finally {
    // Also of a call that was aborted: what was read need not be read again.
    reader.save({ transcripts: listTranscripts(store), sidechains: sidechainPaths })
  }
  const figures = new Map<string, SessionFigures>()
  for (const [sessionId, log] of own) {
    const tasks = children.get(sessionId) ?? []
    const usages = new UsageSums([log, ...tasks].flatMap((one) => one.usages)).list
    figures.set(sessionId, toFigures(log, tasks, priceModels(prices, usages)))
  }
  return { figures, skipped: reader.skipped }
}

/** Tokens and cost of single logs of subagents, by their paths. */
export async function readSubagentFigures(
  store: StoreContext,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Pick<SessionFigures, 'tokens' | 'cost'>>> {
  const prices = await loadPrices(store, {})
  const reader = new FiguresReader(store, undefined)
  const found = new Map<string, Pick<SessionFigures, 'tokens' | 'cost'>>()
  for (const path of paths) {
    const log = await reader.read('sidechains', path)
    if (log === undefined) continue
    const models = priceModels(prices, new UsageSums(log.usages).list)
    const tokens = { ...NO_TOKENS }
    for (const one of models) addTokens(tokens, one.tokens)
    found.set(path, { tokens, cost: sumCosts(models) })
  }
  return found
}

function toFigures(
  log: LogFigures,
  tasks: readonly LogFigures[],
  models: readonly ModelCost[],
): SessionFigures {
  const tokens = { ...NO_TOKENS }
  for (const one of models) addTokens(tokens, one.tokens)
  return {
    turns: log.turns,
    durationMs: log.durationMs,
    toolCalls: [log, ...tasks].reduce((sum, { toolCalls }) => sum + toolCalls, 0),
    tokens,
    cost: sumCosts(models),
    model: newestModel(log.usages) ?? models[0]?.model ?? null,
    models,
    subagents: tasks.length,
  }
}

function newestModel(usages: readonly ModelUsage[]): string | null | undefined {
  const byTime = usages.toSorted((one, other) => ((one.at ?? '') < (other.at ?? '') ? 1 : -1))
  return byTime[0]?.model
}

class FiguresReader {
  readonly skipped: Unreadable[] = []
  readonly #store: StoreContext
  readonly #signal: AbortSignal | undefined
  readonly #caches: Record<'transcripts' | 'sidechains', FiguresCache>
  readonly #buffer = searchBuffer()
  #next: number

  constructor(store: StoreContext, signal: AbortSignal | undefined) {
    this.#store = store
    this.#signal = signal
    this.#next = store.env.monotonicNow() + SLICE_MS
    this.#caches = {
      transcripts: new FiguresCache(store, 'transcripts'),
      sidechains: new FiguresCache(store, 'sidechains'),
    }
  }

  /** `undefined` for a log that is gone or cannot be read. */
  async read(
    kind: 'transcripts' | 'sidechains',
    path: string,
    copiedTo?: string,
  ): Promise<LogFigures | undefined> {
    this.#signal?.throwIfAborted()
    const { env } = this.#store
    if (env.monotonicNow() > this.#next) {
      await env.timers.sleep(0)
      this.#next = env.monotonicNow() + SLICE_MS
    }
    // Before it is read, so that a change meanwhile is seen next time.
    const stats = statIfThere(path, env)
    if (stats === undefined || !stats.isFile()) return undefined
    const cache = this.#caches[kind]
    const known = cache.find(path, stampOf(stats))
    if (known?.isCurrent) return known.state
    try {
      const counted = countLog(this.#store, path, this.#buffer, { from: known?.state, copiedTo })
      // Its size is what was counted: a last line without an end is read again.
      cache.put(path, { ...stampOf(stats), size: counted.state.offset }, counted.state)
      return counted.figures
    } catch (error) {
      if (!isSessionError(error)) throw error
      if (error.code !== 'ERR_NOT_FOUND') this.skipped.push({ path, reason: error.message })
      return undefined
    }
  }

  save(paths: Readonly<Record<'transcripts' | 'sidechains', readonly string[]>>): void {
    this.#caches.transcripts.save(paths.transcripts)
    this.#caches.sidechains.save(paths.sidechains)
  }
}
