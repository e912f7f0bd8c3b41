// What the model sees of a rollout so far: where its turns begin, for turns that are taken back, and its
// prompts, for compactions of the oldest kind. The rules are those by which the client rebuilds it.

import { plainText } from '../import/content.js'
import { textOf } from '../import/fields.js'
import { type ForeignValue, HEADER_UUID } from '../import/importer.js'
import { beginsTurn, isContext } from './context.js'
import type { CodexEvent } from './items.js'

/** The first version that takes the context before a turn back with it. */
const TRIMMING_SINCE = 117

/** How much of the prompts the client keeps in a compaction without a history of its own. */
const PROMPT_TOKENS_MAX = 20_000
const BYTES_PER_TOKEN = 4

interface Turn {
  /** The prompt that begins it; `undefined` for a summary, which the client counts as a turn. */
  readonly prompt: string | undefined
  readonly promptTokens: number
  readonly before: string
  /** Before the context that directly precedes it. */
  readonly beforeContext: string
  /** Repeated by a compaction, without the replies. */
  readonly isRepeated: boolean
}

/** What is left after turns were taken back. */
export interface Remainder {
  readonly target: string
  readonly isTooFar: boolean
  /** Only these prompts are left: a compaction has dropped the replies to them. */
  readonly prompts?: readonly string[] | undefined
}

export class CodexHistory {
  tip = HEADER_UUID
  messageCount = 0
  #turns: Turn[] = []
  /** What the context at the end of the history follows. */
  #beforeContext: string | undefined
  /** What the last compaction that repeats prompts follows. */
  #beforeCompaction = HEADER_UUID
  #trimsContext = false
  /** With several files, turns are taken back by another file, and compactions bring their history. */
  #holdsTurns = true

  /** A file begins, by what it says about the client that wrote it. */
  begin({ cli_version, history_mode }: ForeignValue): void {
    const [, minor] = /^0\.(\d+)\./.exec(textOf(cli_version) ?? '') ?? []
    this.#trimsContext = Number(minor) >= TRIMMING_SINCE
    this.#holdsTurns = history_mode !== 'paginated'
  }

  /** Appends a message; returns the uuid that it follows. */
  push(event: CodexEvent, uuid: string): string {
    const before = this.tip
    if (this.#holdsTurns && beginsTurn(event)) {
      const bytes = Buffer.byteLength(plainText(event.payload['content']))
      const promptTokens = Math.ceil(bytes / BYTES_PER_TOKEN)
      const beforeContext = this.#beforeContext ?? before
      const turn = { prompt: uuid, promptTokens, before, beforeContext, isRepeated: false }
      this.#turns.push(turn)
    }
    this.#beforeContext = isContext(event) ? (this.#beforeContext ?? before) : undefined
    this.messageCount++
    this.tip = uuid
    return before
  }

  /** Takes back turns; `undefined` if there is none. */
  takeBack(count: number): Remainder | undefined {
    const index = Math.max(this.#turns.length - count, 0)
    const turn = this.#turns[index]
    if (turn === undefined) return undefined
    const isTooFar = count > this.#turns.length
    this.#turns.length = index
    this.#beforeContext = undefined
    if (turn.isRepeated) return { target: this.#beforeCompaction, isTooFar, prompts: this.#prompts }
    // What precedes the first turn always stays.
    const target = this.#trimsContext && index > 0 ? turn.beforeContext : turn.before
    return { target, isTooFar }
  }

  get #prompts(): string[] {
    return this.#turns.flatMap(({ prompt }) => prompt ?? [])
  }

  /** A compaction whose history follows as messages. */
  replace(boundaryUuid: string): void {
    this.moveTo(boundaryUuid)
    this.messageCount = 0
  }

  /** A compaction that repeats the newest prompts before its summary; returns them. */
  repeatPrompts(): string[] {
    let left = PROMPT_TOKENS_MAX
    const prompts = this.#turns.filter(({ prompt }) => prompt !== undefined)
    const first = prompts.findLastIndex(({ promptTokens }) => {
      left -= promptTokens
      return left <= 0
    })
    const repeated = prompts.slice(Math.max(first, 0))
    this.#beforeCompaction = this.tip
    const summary = {
      prompt: undefined,
      promptTokens: 0,
      before: this.tip,
      beforeContext: this.tip,
    }
    this.#turns = [...repeated, summary].map((turn) => ({ ...turn, isRepeated: true }))
    this.#beforeContext = undefined
    return this.#prompts
  }

  /** Another file continues an earlier position; its turns are not taken back one by one. */
  moveTo(tip: string): void {
    this.#turns = []
    this.#beforeContext = undefined
    this.tip = tip
  }
}
