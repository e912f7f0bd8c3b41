// How answers leave a command: one JSON value for programs, rows or one sentence for people.

import { isSessionError } from '../../errors.js'
import { tolerantJson } from '../../format/index.js'
import { type Call, UsageError } from '../command.js'
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

/** One JSON object for programs, one sentence for people. Returns the exit code for success. */
export async function answer(call: Call, fields: object, sentence: string): Promise<number> {
  if (call.has('json')) await printJson(call, fields)
  else await printLines(call, [toPlainText(sentence)])
  return EXIT.done
}

/** What a listing could not read, one note for each. */
export function reportSkipped(
  { notes }: Call,
  skipped: readonly { readonly path: string; readonly reason: string }[],
): void {
  for (const { path, reason } of skipped) {
    notes.say(`skipped ${toPlainText(path)}: ${toPlainText(reason)}`)
  }
}

export interface Plan {
  /** The answer for programs. */
  readonly report: object
  /** What was done, or would be. */
  readonly rows: readonly string[]
  /** Further notes for people. */
  readonly notes?: readonly string[]
  /** What to say when there is nothing to do. */
  readonly idle: string
  /** What to say under a plan. */
  readonly advice?: string
  readonly exitCode?: number
}

/** Runs a command that removes or moves things: it shows a plan, and carries it out with --apply. */
export async function planCommand(
  call: Call,
  work: (apply: boolean) => Promise<Plan>,
): Promise<number> {
  const apply = call.has('apply')
  if (apply && call.has('dry-run')) {
    throw new UsageError('--apply and --dry-run cannot be combined')
  }
  const { report, rows, notes = [], idle, advice, exitCode } = await work(apply)
  if (call.has('json')) await printJson(call, report)
  else await printLines(call, rows)
  await call.output.flush()
  for (const note of notes) call.notes.say(note)
  if (rows.length === 0) call.notes.say(idle)
  else if (!apply) call.notes.say(advice ?? 'Nothing was changed; --apply does it')
  return exitCode ?? EXIT.done
}

/** Says under a dry run that nothing was written. Returns the exit code. */
export async function answerDryRun(call: Call, fields: object, sentence: string): Promise<number> {
  await answer(call, { dryRun: true, ...fields }, sentence)
  await call.output.flush()
  call.notes.say('Nothing was written')
  return EXIT.done
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
    throw new UsageError(`${path} exists already; ${advice}`, { path: String(path) })
  }
}
