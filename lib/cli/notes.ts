// Words for people, on stderr. With --json they are JSON too, one object per line, so that a
// program can read both streams.

import type { Diagnostic } from '../format/index.js'
import { withoutThrowing } from './output.js'
import { toPlainText } from './plain-text.js'

export interface NotesOptions {
  readonly isQuiet: boolean
  readonly isJson: boolean
}

export class Notes {
  readonly #io: Pick<NodeJS.Process, 'stderr'>
  readonly #isQuiet: boolean
  readonly #isJson: boolean

  constructor(io: Pick<NodeJS.Process, 'stderr'>, { isQuiet, isJson }: NotesOptions) {
    this.#io = io
    this.#isQuiet = isQuiet
    this.#isJson = isJson
  }

  // Nobody to tell is nothing lost: words for people are not the answer.
  get #stream(): NodeJS.WriteStream {
    return withoutThrowing(this.#io.stderr)
  }

  /** Whether somebody is watching who may be told of progress. */
  get isWatched(): boolean {
    return this.#stream.isTTY === true && !this.#isQuiet && !this.#isJson
  }

  /** A remark that a program does not need. */
  say(text: string): void {
    if (!this.#isQuiet && !this.#isJson) this.#stream.write(`${text}\n`)
  }

  /** On the line where the cursor stands, to be replaced by the next; for terminals only. */
  sayInPlace(text: string): void {
    if (this.isWatched) this.#stream.write(`\r\x1b[K${text}`)
  }

  /** From where to go on another time. */
  tellCursor(cursor: string): void {
    if (this.#isQuiet) return
    const text = this.#isJson ? JSON.stringify({ cursor }) : `Go on with --since-cursor ${cursor}`
    this.#stream.write(`${text}\n`)
  }

  tell(diagnostic: Diagnostic): void {
    if (this.#isQuiet) return
    const { code, message } = diagnostic
    this.#stream.write(
      this.#isJson ? `${JSON.stringify({ diagnostic })}\n` : `${code}: ${toPlainText(message)}\n`,
    )
  }
}
