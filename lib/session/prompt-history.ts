// The prompts of one session on their way into the history of all sessions. The transcript has
// them already, so whatever goes wrong here is told and never fails a prompt.

import { type Diagnostic, diagnostic } from '../format/index.js'
import type { Receipt } from '../log/index.js'
import { type AppendHistoryOptions, append_history } from '../store/index.js'

export interface PromptOptions {
  /** @default a new random uuid */
  readonly uuid?: string | undefined
  /** @default the time of writing */
  readonly ts?: string | undefined
  readonly prompt_id?: string | undefined
  readonly source?: string | undefined
}

export interface PromptReceipt extends Receipt {
  /** Where the prompt stands in the history; `null` when it was not recorded there. */
  readonly history_offset: number | null
}

export interface PromptHistorySettings {
  readonly sessionId: string
  readonly options: AppendHistoryOptions
  readonly report: (diagnostic: Diagnostic) => void
}

export class PromptHistory {
  readonly #settings: PromptHistorySettings
  #offset: number | null = null
  #hasFailed = false
  #underWay: Promise<unknown> = Promise.resolve()

  constructor(settings: PromptHistorySettings) {
    this.#settings = settings
  }

  /** Where the newest recorded prompt of this session stands. */
  get offset(): number | null {
    return this.#offset
  }

  /** Prompts were recorded, and none was left out. */
  get isAppended(): boolean {
    return this.#offset !== null && !this.#hasFailed
  }

  /** The offset of the line; `null` when nothing was recorded. */
  async record(prompt: string, eventUuid: string, ts: string | undefined): Promise<number | null> {
    const { sessionId, options, report } = this.#settings
    try {
      const receipt = await append_history(prompt, sessionId, {
        ...options,
        event_uuid: eventUuid,
        ts,
      })
      if (receipt === null) return null
      this.#offset = receipt.offset
      return receipt.offset
    } catch (error) {
      this.#hasFailed = true
      const reason = error instanceof Error ? error.message : String(error)
      const message = `The prompt is in the transcript, but not in the history: ${reason}`
      const finding = diagnostic('history_not_written', message, { uuid: eventUuid })
      // A listener that throws must not make a written prompt fail.
      queueMicrotask(() => report(finding))
      return null
    }
  }

  /** Keeps `settled` waiting for this prompt. */
  watch(prompt: Promise<unknown>): void {
    this.#underWay = Promise.allSettled([this.#underWay, prompt])
  }

  /** Resolves when no prompt is under way. */
  async settled(): Promise<void> {
    await this.#underWay
  }
}

/** What a person said: of blocks their texts, each on a line of its own. */
export function promptText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((block: { type?: unknown; text?: unknown } | null) =>
      block?.type === 'text' && typeof block.text === 'string' ? block.text : [],
    )
    .join('\n')
}
