// The picker on a terminal: keys in, screens out. The terminal is always restored.

import { on } from 'node:events'
import type { CliIo } from '../command.js'
import type { Colors } from '../output/colors.js'
import {
  drawLines,
  ENDING_SIGNALS,
  type Key,
  sizeOf,
  takeTerminal,
} from '../terminal/take-terminal.js'
import {
  addMatches,
  applyChange,
  type Choice,
  type PickAction,
  type PickChange,
  type PickRules,
  type PickState,
  pressKey,
  selectedOf,
  startPicking,
} from './model.js'
import { screenOf } from './screen.js'

export interface PickerOptions {
  readonly io: CliIo
  readonly colors: Colors
  /** The last messages of a choice. */
  readonly preview: (choice: Choice) => readonly string[]
  readonly rules?: PickRules
  /** Carries out an action and reports what it changed. It does not reject. */
  readonly act?: (action: PickAction) => Promise<PickChange>
  /** Reads what the filter searches besides the rows, once something is typed. */
  readonly prompts?: PromptSource
}

export interface PromptSource {
  /** Reads the prompts of some choices and returns those; `undefined` when all were read. */
  readSome(): readonly Choice[] | undefined
  /** Lets keys arrive. */
  pause(): Promise<void>
}

export interface Picked {
  readonly choice: Choice
  /** What was typed where the picker asks for a title. */
  readonly title: string | undefined
}

/** The one that was taken; `undefined` when none was. */
export async function pickInTerminal(
  choices: readonly Choice[],
  options: PickerOptions,
): Promise<Picked | undefined> {
  const restore = takeTerminal(options.io)
  const picker = new Picker(startPicking(choices, options.rules), options)
  try {
    return await picker.untilDecided()
  } finally {
    picker.stop()
    restore()
  }
}

class Picker {
  readonly #options: PickerOptions
  #state: PickState
  #isReading = false
  #hasRead = false
  #isStopped = false
  #failure: unknown

  constructor(state: PickState, options: PickerOptions) {
    this.#state = state
    this.#options = options
  }

  /** No prompts are read any more. */
  stop(): void {
    this.#isStopped = true
  }

  async untilDecided(): Promise<Picked | undefined> {
    const { io } = this.#options
    const { stdin, stdout } = io
    const controller = new AbortController()
    const { signal } = controller
    const redraw = () => this.#draw()
    const cancel = () => controller.abort()
    // A queue instead of a handler, so that errors reach the caller.
    const keys = on(stdin, 'keypress', { signal, close: ['end'] })
    stdout.on('resize', redraw)
    for (const name of ENDING_SIGNALS) io.once(name, cancel)
    try {
      this.#draw()
      for await (const [, key] of keys) {
        this.#state = pressKey(this.#state, key as Key)
        const { outcome, action } = this.#state
        if (outcome === 'cancelled') return undefined
        if (outcome === 'taken') {
          return { choice: selectedOf(this.#state)!, title: action?.title }
        }
        if (action !== undefined) await this.#act(action)
        this.#draw()
        this.#readPrompts().catch((error: unknown) => {
          this.#failure = error
          controller.abort()
        })
      }
      return undefined
    } catch (error) {
      if (!signal.aborted) throw error
      if (this.#failure !== undefined) throw this.#failure
      return undefined
    } finally {
      await keys.return?.()
      stdout.off('resize', redraw)
      for (const name of ENDING_SIGNALS) io.off(name, cancel)
    }
  }

  async #act(action: PickAction): Promise<void> {
    this.#state = { ...this.#state, note: `${action.kind} …` }
    this.#draw()
    const change = await this.#options.act!(action)
    this.#state = applyChange(this.#state, change)
  }

  /** In the background, in steps between the keys. */
  async #readPrompts(): Promise<void> {
    const { prompts } = this.#options
    if (prompts === undefined || this.#hasRead || this.#state.query === '') return
    this.#hasRead = true
    this.#isReading = true
    let read: readonly Choice[] | undefined = []
    while (read !== undefined && !this.#isStopped) {
      await prompts.pause()
      if (this.#isStopped) return
      read = prompts.readSome()
      this.#isReading = read !== undefined
      const state = addMatches(this.#state, read ?? [])
      if (state === this.#state && read !== undefined) continue
      this.#state = state
      this.#draw()
    }
  }

  #draw(): void {
    const { io, colors, preview } = this.#options
    const choice = selectedOf(this.#state)
    const words = choice === undefined ? [] : preview(choice)
    const shape = { ...sizeOf(io), colors, isReading: this.#isReading }
    drawLines(io, screenOf(this.#state, words, shape))
  }
}
