// The prompts of one session in the history of all sessions. The transcript has them already, so a
// failure here is reported and never fails a prompt.

import { type ContentInput, type Diagnostic, diagnostic } from '../format/index.js'
import type { NewEvent, Receipt } from '../log/index.js'
import { type AppendHistoryOptions, appendHistory, type StoreContext } from '../store/index.js'
import type { SessionParts } from './types.js'

/** Options of a prompt. */
export interface PromptOptions {
  /**
   * The uuid of the event; a second prompt with the same uuid writes nothing.
   *
   * @default a new random uuid
   */
  readonly uuid?: string | undefined
  /**
   * The time of the prompt, ISO 8601.
   *
   * @default the time of writing
   */
  readonly ts?: string | undefined
  /**
   * The id that the harness gave the prompt.
   *
   * @default none
   */
  readonly prompt_id?: string | undefined
  /**
   * Where the prompt came from, for example `stdin`.
   *
   * @default none
   */
  readonly source?: string | undefined
}

export interface PromptReceipt extends Receipt {
  /** Offset of the prompt in the history; `null` when it was not recorded there. */
  readonly historyOffset: number | null
}

export class PromptHistory {
  readonly #store: StoreContext
  readonly #sessionId: string
  readonly #options: AppendHistoryOptions
  #offset: number | null = null
  #hasFailed = false
  #pending: Promise<unknown> = Promise.resolve()

  constructor(store: StoreContext, sessionId: string, options: AppendHistoryOptions) {
    this.#store = store
    this.#sessionId = sessionId
    this.#options = options
  }

  /** Offset of the newest recorded prompt of this session. */
  get offset(): number | null {
    return this.#offset
  }

  /** Prompts were recorded, and none failed. */
  get isAppended(): boolean {
    return this.#offset !== null && !this.#hasFailed
  }

  /** Returns the offset of the line; `null` when nothing was recorded. */
  async record(prompt: string, eventUuid: string, ts: string | undefined): Promise<number | null> {
    const options = { ...this.#options, eventUuid, ts }
    try {
      const receipt = await appendHistory(this.#store, prompt, this.#sessionId, options)
      if (receipt === null) return null
      this.#offset = receipt.offset
      return receipt.offset
    } catch (error) {
      this.#hasFailed = true
      const finding = notWritten(error, eventUuid)
      // A listener that throws must not make a written prompt fail.
      queueMicrotask(() => this.#store.report(finding))
      return null
    }
  }

  /** Makes `settled` wait for this prompt. */
  watch(prompt: Promise<unknown>): void {
    this.#pending = Promise.allSettled([this.#pending, prompt])
  }

  /** Resolves when no prompt is being recorded. */
  async settled(): Promise<void> {
    await this.#pending
  }
}

/** Appends a prompt to the transcript, and then to the history, which waits for both. */
export function recordPrompt(
  parts: PromptParts,
  append: (event: NewEvent) => Promise<Receipt>,
  content: ContentInput,
  options: PromptOptions,
): Promise<PromptReceipt> {
  const written = appendPrompt(parts, append, content, options)
  parts.history?.value.watch(written)
  return written
}

type PromptParts = Pick<SessionParts, 'history' | 'settings'>

async function appendPrompt(
  { history, settings }: PromptParts,
  append: (event: NewEvent) => Promise<Receipt>,
  content: ContentInput,
  { uuid, ts, prompt_id, source }: PromptOptions,
): Promise<PromptReceipt> {
  const payload = { content, prompt_id, source }
  const receipt = await append({ type: 'user', uuid, ts, payload })
  // The same uuid again is the same prompt.
  if (receipt.duplicate === true) return { ...receipt, historyOffset: null }
  const written = settings.asWritten({ type: 'user', payload }).payload as typeof payload
  const recorded = history?.value.record(promptText(written.content), receipt.uuid, ts)
  return { ...receipt, historyOffset: (await recorded) ?? null }
}

export function notWritten(error: unknown, uuid: string): Diagnostic {
  const reason = error instanceof Error ? error.message : String(error)
  const message = `The prompt is in the transcript, but not in the history: ${reason}`
  return diagnostic('history_not_written', message, { uuid })
}

/** The text of a prompt: of blocks their texts, each on a line of its own. */
export function promptText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((block: { type?: unknown; text?: unknown } | null) =>
      block?.type === 'text' && typeof block.text === 'string' ? block.text : [],
    )
    .join('\n')
}
