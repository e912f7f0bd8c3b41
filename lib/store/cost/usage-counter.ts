// The tokens of a log, each reply once: a reply may be recorded in several lines that all have its
// usage, and one that is streamed is recorded again when it is complete.

import { fieldsOf, textOf, timeOf } from '../../format/fields.js'
import type { SessionEvent } from '../../format/index.js'
import { addTokens, NO_TOKENS, readUsage, sumTokens, type TokenCounts } from './usage.js'

/** Tokens of one model in requests of one size. */
export interface ModelUsage {
  /** `null` where no line says it. */
  readonly model: string | null
  /** The class of its input size: some models cost more for long inputs. */
  readonly size: number
  readonly tokens: Readonly<TokenCounts>
  /** When they were used last. */
  readonly at: string | null
}

// Prices change at these sizes of the input, of any model.
const SIZES: readonly number[] = [128_000, 199_999, 271_999, 512_000]
const LARGEST = 1_000_000_000

/** The largest input of a class, for which its prices are asked. */
export function inputOfSize(size: number): number {
  return SIZES[size] ?? LARGEST
}

function sizeOf({ input, cacheRead, cacheWrite }: TokenCounts): number {
  const total = input + cacheRead + cacheWrite
  const at = SIZES.findIndex((limit) => total <= limit)
  return at === -1 ? SIZES.length : at
}

interface Reply {
  /** Its id at the provider, or the uuid of its newest line. */
  readonly id: string
  readonly tokens: Readonly<TokenCounts>
}

/** What a counter knows after some lines, to continue there. */
export interface UsageState {
  readonly replies: readonly Reply[]
  readonly model: string | null
}

// The lines of one reply follow each other, with results of its tools between them.
const REPLIES_MAX = 16

/** Takes the events of one log in their order. */
export class UsageCounter {
  #replies: Reply[]
  #model: string | null

  constructor({ replies, model }: UsageState = { replies: [], model: null }) {
    this.#replies = [...replies]
    this.#model = model
  }

  get state(): UsageState {
    return { replies: this.#replies, model: this.#model }
  }

  /** What the event adds; `undefined` if it used no tokens, or none that were not counted. */
  take(event: SessionEvent): ModelUsage | undefined {
    const { usage, model, message_id, supersedes } = fieldsOf(event.payload)
    const isReply = event.type === 'assistant'
    if (isReply || usage !== undefined) this.#model = textOf(model) ?? this.#model
    const tokens = readUsage(usage)
    if (tokens === undefined || sumTokens(tokens) === 0) return undefined
    const added = isReply ? this.#addReply(event, { message_id, supersedes, tokens }) : tokens
    if (sumTokens(added) === 0) return undefined
    const own = textOf(model) ?? this.#model
    return { model: own, size: sizeOf(tokens), tokens: added, at: timeOf(event.ts) }
  }

  /** Sums never go down: of two lines of a reply the larger number counts. */
  #addReply(
    { uuid }: SessionEvent,
    given: {
      readonly message_id: unknown
      readonly supersedes: unknown
      readonly tokens: Readonly<TokenCounts>
    },
  ): Readonly<TokenCounts> {
    const ids = [textOf(given.message_id), textOf(given.supersedes)]
    const earlier = this.#replies.find(({ id }) => ids.includes(id))
    const before = earlier?.tokens ?? NO_TOKENS
    const tokens = mapTokens((field) => Math.max(given.tokens[field], before[field]))
    this.#replies = this.#replies.filter((reply) => reply !== earlier)
    this.#replies.push({ id: ids[0] ?? uuid, tokens })
    if (this.#replies.length > REPLIES_MAX) this.#replies.shift()
    return mapTokens((field) => tokens[field] - before[field])
  }
}

function mapTokens(of: (field: keyof TokenCounts) => number): TokenCounts {
  return {
    input: of('input'),
    output: of('output'),
    cacheRead: of('cacheRead'),
    cacheWrite: of('cacheWrite'),
    cacheWriteHour: of('cacheWriteHour'),
    reasoning: of('reasoning'),
  }
}

/** Usage summed by model and size. */
export class UsageSums {
  readonly #sums = new Map<string, ModelUsage & { tokens: TokenCounts; at: string | null }>()

  constructor(usages: Iterable<ModelUsage> = []) {
    for (const usage of usages) this.add(usage)
  }

  add({ model, size, tokens, at }: ModelUsage): void {
    const key = `${size} ${model ?? ''}`
    const sum = this.#sums.get(key) ?? { model, size, tokens: { ...NO_TOKENS }, at: null }
    addTokens(sum.tokens, tokens)
    if ((at ?? '') > (sum.at ?? '')) sum.at = at
    this.#sums.set(key, sum)
  }

  get list(): readonly ModelUsage[] {
    return [...this.#sums.values()]
  }
}
