// How an error is reported: a sentence for people, an object for programs, and an exit code.
// JSONL_SESSION_DEBUG=1 adds the stack.

import { isSessionError, SessionError, toSessionError } from '../../errors.js'
import { type CliIo, UsageError } from '../command.js'
import { exitCodeOf } from './exit-codes.js'
import { withoutThrowing } from './output.js'
import { toPlainText } from './plain-text.js'
import { toCamelCase } from './print.js'

export interface ReportOptions {
  readonly io: CliIo
  readonly isJson: boolean
  /** Whose help to point at. */
  readonly commandName?: string | undefined
}

export function reportError(thrown: unknown, { io, isJson, commandName }: ReportOptions): number {
  const error = known(thrown)
  const text = isJson ? jsonOf(error) : sentenceOf(error, commandName)
  const stderr = withoutThrowing(io.stderr)
  stderr.write(`${text}\n`)
  if (io.env['JSONL_SESSION_DEBUG'] === '1') stderr.write(`${stackOf(thrown)}\n`)
  return exitCodeOf(error)
}

function known(thrown: unknown): unknown {
  const { syscall, path } = thrown as NodeJS.ErrnoException
  if (isSessionError(thrown) || syscall === undefined) return thrown
  if (syscall === 'uv_cwd') return new UsageError(FOLDER_GONE)
  const isOutput = path === undefined && syscall === 'write'
  return isOutput ? outputError(thrown) : toSessionError(thrown, syscall, path ?? 'the input')
}

const FOLDER_GONE =
  'The current folder no longer exists; change to another one, or name the project'

/** Not the disk of the store, so the advice for a full log would be wrong. */
function outputError(cause: unknown): SessionError {
  const { code: errno } = cause as NodeJS.ErrnoException
  const what = `Could not write the output (${errno}); what was written to the store is kept`
  return new SessionError('ERR_IO', what, { cause, errno })
}

function jsonOf(error: unknown): string {
  const { code, details = {} } = error as Partial<SessionError>
  const isCoded = isSessionError(error) || error instanceof UsageError
  const shown = { code: isCoded ? code : 'ERR_UNEXPECTED', message: messageOf(error), details }
  return JSON.stringify({ error: toCamelCase(shown) })
}

function sentenceOf(error: unknown, commandName: string | undefined): string {
  const name = commandName === undefined ? 'jsonl-session' : `jsonl-session ${commandName}`
  if (error instanceof UsageError) {
    // The message is our own and may have several lines.
    return `${name}: ${error.message}\nSee \`${name} --help\`.`
  }
  const message = toPlainText(messageOf(error))
  if (isSessionError(error)) return `${name}: ${message} (${error.code})`
  return `${name}: unexpected: ${message}\nJSONL_SESSION_DEBUG=1 shows where. Please report it.`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const stack = error.stack ?? error.message
  return error.cause === undefined ? stack : `${stack}\ncaused by ${stackOf(error.cause)}`
}
