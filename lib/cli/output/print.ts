// How answers leave a command: one JSON value for programs, rows or one sentence for people.

import { isSessionError } from '../../errors.js'
import { type Diagnostic, tolerantJson } from '../../format/index.js'
import { type Call, UsageError } from '../command.js'
import { rejectTogether } from '../input/arguments.js'
import { EXIT } from './exit-codes.js'
import { toPlainText } from './plain-text.js'

// Their values are lines of a log or parts of them, or have keys that are data.
const STORED = new Set([
  'event',
  'payload',
  'messages',
  'checkpoint',
  'input',
  'dropped',
  'repaired',
  'uninterpreted',
])

/** Computed values have camelCase keys; what is stored keeps the keys it has on disk. */
export function toCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamelCase)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [
    key.replace(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    STORED.has(key) ? inner : toCamelCase(inner),
  ])
  return Object.fromEntries(entries)
}

export async function printJson({ output }: Call, value: unknown): Promise<void> {
  await output.write(`${tolerantJson(toCamelCase(value) as object)}\n`)
}

/** As it is on disk. */
export async function printStored({ output }: Call, value: object): Promise<void> {
  await output.write(`${tolerantJson(value)}\n`)
}

export async function printLines({ output }: Call, lines: Iterable<string>): Promise<void> {
  for (const line of lines) await output.write(`${line}\n`)
}

export interface Answer {
  /** For programs. */
  readonly json: unknown
  /** Whether that is printed with the keys it has on disk. */
  readonly stored?: boolean
  /** For people, and computed only for them. */
  readonly lines: () => readonly string[]
  readonly diagnostics?: readonly Diagnostic[]
  /** What could not be read. */
  readonly skipped?: readonly Skipped[]
  /** Further notes for people. */
  readonly notes?: readonly string[]
  /** The note when the answer is no, as when nothing was found; the exit code is 1 then. */
  readonly no?: string | undefined
}

export interface Skipped {
  readonly path: string
  readonly reason: string
}

/** Prints an answer, and after it the notes. Returns the exit code. */
export async function printAnswer(call: Call, answer: Answer): Promise<number> {
  const { json, stored, lines, diagnostics = [], skipped = [], notes = [], no } = answer
  if (call.has('json')) await (stored ? printStored : printJson)(call, json as object)
  else await printLines(call, lines())
  await call.output.flush()
  for (const diagnostic of diagnostics) call.notes.report(diagnostic)
  for (const note of [...notes, ...skipped.map(toSkippedNote)]) call.notes.say(note)
  if (no === undefined) return EXIT.done
  call.notes.say(no)
  return EXIT.no
}

export function toSkippedNote({ path, reason }: Skipped): string {
  return `skipped ${toPlainText(path)}: ${toPlainText(reason)}`
}

/** One JSON object for programs, one sentence for people. */
export function answer(call: Call, json: object, sentence: string): Promise<number> {
  return printAnswer(call, { json, lines: () => [toPlainText(sentence)] })
}

/** What a command would do that writes. */
export function answerDryRun(call: Call, fields: object, sentence: string): Promise<number> {
  const json = { dryRun: true, ...fields }
  const lines = () => [toPlainText(sentence)]
  return printAnswer(call, { json, lines, notes: ['Nothing was written'] })
}

export interface Plan extends Pick<Answer, 'json' | 'diagnostics' | 'skipped' | 'notes'> {
  /** What was done, or would be. */
  readonly rows: readonly string[]
  /** Whether there is nothing to do, or the note that says so. */
  readonly idle?: boolean | string
  readonly exitCode?: number
}

/** Runs a command that removes or moves things: it shows a plan, and carries it out with --apply. */
export async function planCommand(
  call: Call,
  work: (apply: boolean) => Promise<Plan>,
): Promise<number> {
  rejectTogether(call, 'apply', 'dry-run')
  const apply = call.has('apply')
  const { rows, idle, exitCode, ...plan } = await work(apply)
  await printAnswer(call, { ...plan, lines: () => rows })
  if (typeof idle === 'string') call.notes.say(idle)
  else if (!apply && idle !== true) call.notes.say('Nothing was changed; use --apply to do it')
  return exitCode ?? EXIT.done
}

/** A file that the user names to be written: one that exists is the user's. */
export async function rejectExisting<Result>(
  write: () => Promise<Result>,
  advice: string,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isSessionError(error, 'ERR_EXISTS')) throw error
    const { path } = error.details
    throw new UsageError(`${path} already exists; ${advice}`, { path: String(path) })
  }
}
