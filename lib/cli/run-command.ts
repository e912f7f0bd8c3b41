// One command with its arguments, and what becomes of its errors.

import type { Call, CliIo, CliRooms, Command, Parsed } from './command.js'
import { Notes } from './notes.js'
import { type Output, ReaderGone } from './output.js'
import { type ReportOptions, reportError } from './report-error.js'

export interface Surroundings {
  readonly io: CliIo
  readonly output: Output
  readonly rooms: CliRooms
}

/** Whose error it is. A hook never fails its harness. */
interface Asker extends Omit<ReportOptions, 'io'> {
  readonly isHook?: boolean | undefined
}

export async function runCommand(
  command: Command,
  parsed: Parsed,
  { io, output, rooms }: Surroundings,
): Promise<number> {
  const isQuiet = parsed.has('quiet')
  const isJson = parsed.has('json')
  const notes = new Notes(io, { isQuiet, isJson })
  const call: Call = { ...parsed, output, io, rooms, notes }
  const exitCode = await command.run(call)
  await output.flush()
  return exitCode
}

/** The exit code of the work, or of what it threw. It never throws itself. */
export async function reporting(
  { io, output }: Pick<Surroundings, 'io' | 'output'>,
  { isHook, ...asker }: Asker,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work()
  } catch (thrown) {
    const error = thrown instanceof ReaderGone ? thrown : await afterFlush(output, thrown)
    if (error instanceof ReaderGone) return 0
    const exitCode = reportError(error, { io, ...asker })
    return isHook === true ? 0 : exitCode
  }
}

// What was printed before the failure was true, so it is not taken back.
function afterFlush(output: Output, error: unknown): Promise<unknown> {
  return output.flush().then(
    () => error,
    (flushError) => flushError,
  )
}
