// Notes for people, on stderr. With --json they are JSON too, one object per line, so that a
// program can read both streams.

import type { Diagnostic } from '../../format/index.js'
import { withoutThrowing } from './output.js'
import { toPlainText } from './plain-text.js'
import { toCamelCase } from './print.js'

export interface NotesOptions {
  readonly isQuiet: boolean
  readonly isJson: boolean
}

export class Notes {
  readonly #io: Pick<NodeJS.Process, 'stderr'>
  readonly #isQuiet: boolean
  readonly #isJson: boolean
  /** Whether the work shows its own progress. */
  hasProgress = false

  constructor(io: Pick<NodeJS.Process, 'stderr'>, { isQuiet, isJson }: NotesOptions) {
    this.#io = io
    this.#isQuiet = isQuiet
    this.#isJson = isJson
  }

  // A note that cannot be written is dropped: it is not the answer.
  get #stream(): NodeJS.WriteStream {
    return withoutThrowing(this.#io.stderr)
  }

  /** Whether a person is watching who may see progress. */
  get isWatched(): boolean {
    return this.#stream.isTTY === true && !this.#isQuiet && !this.#isJson
  }

  /** A remark that a program does not need. */
  say(text: string): void {
    if (!this.#isQuiet && !this.#isJson) this.#stream.write(`${text}\n`)
  }

  /** What a person or a program should know before relying on the answer. */
  warn(warning: string): void {
    if (this.#isQuiet) return
    this.#stream.write(`${this.#isJson ? JSON.stringify({ warning }) : warning}\n`)
  }

  /** A failure of a command that continues all the same, so also with --quiet. */
  reportProblem(problem: string): void {
    this.#stream.write(`${this.#isJson ? JSON.stringify({ problem }) : toPlainText(problem)}\n`)
  }

  /** On the current line, to be replaced by the next; for terminals only. */
  sayInPlace(text: string): void {
    if (this.isWatched) this.#stream.write(`\r\x1b[K${text}`)
  }

  /** Where the next call can continue. For programs only: the cursor of a store is long. */
  reportCursor(cursor: string): void {
    if (this.#isJson && !this.#isQuiet) this.#stream.write(`${JSON.stringify({ cursor })}\n`)
  }

  report(diagnostic: Diagnostic): void {
    if (this.#isQuiet) return
    const { code, message } = diagnostic
    this.#stream.write(
      this.#isJson
        ? `${JSON.stringify(toCamelCase({ diagnostic }))}\n`
        : `${code}: ${toPlainText(message)}\n`,
    )
  }
}

/**
 * Collects diagnostics and reports the first of each kind and how many more there were: a history
 * of another tool may have thousands of lines without a checksum.
 */
export class DiagnosticGroups {
  readonly #notes: Notes
  readonly #groups = new Map<string, { first: Diagnostic; count: number }>()

  constructor(notes: Notes) {
    this.#notes = notes
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0
  }

  readonly add = (diagnostic: Diagnostic): void => {
    const group = this.#groups.get(diagnostic.code)
    if (group === undefined) this.#groups.set(diagnostic.code, { first: diagnostic, count: 1 })
    else group.count++
  }

  report(): void {
    for (const { first, count } of this.#groups.values()) {
      const more = count === 1 ? '' : ` (and ${count - 1} more of the kind)`
      this.#notes.report({ ...first, message: `${placeOf(first)}${first.message}${more}` })
    }
  }
}

function placeOf({ file, byte_offset }: Diagnostic): string {
  if (file === undefined) return ''
  return byte_offset === undefined ? `${file}: ` : `${file}, byte ${byte_offset}: `
}
