// One command with its arguments, and what becomes of its errors.

import { type Environment, environmentFrom } from '../environment/index.js'
import type { StoreContext } from '../store/index.js'
import type { Call, CliIo, CliModules, Command, Parsed } from './command.js'
import { openStore } from './input/arguments.js'
import { Notes } from './output/notes.js'
import { type Output, ReaderGone } from './output/output.js'
import { watchReads } from './output/read-progress.js'
import { type ReportOptions, reportError } from './output/report-error.js'

export interface Surroundings {
  readonly io: CliIo
  readonly output: Output
  readonly modules: CliModules
}

/** Whose error it is. A hook never fails its harness. */
interface Asker extends Omit<ReportOptions, 'io'> {
  readonly isHook?: boolean | undefined
}

export async function runCommand(
  command: Command,
  parsed: Parsed,
  { io, output, modules }: Surroundings,
): Promise<number> {
  const notes = new Notes(io, { isQuiet: parsed.has('quiet'), isJson: parsed.has('json') })
  const isLasting = command.isHook === true || command.isServer === true || parsed.has('follow')
  const system = environmentOf(io)
  const reads = isLasting ? undefined : watchReads(system, { notes, output })
  const env = reads?.env ?? system
  let store: StoreContext | undefined
  const call: Call = {
    ...parsed,
    output,
    io,
    modules,
    notes,
    env,
    get store() {
      store ??= openStore({ ...parsed, env }, (diagnostic) => notes.report(diagnostic))
      return store
    },
  }
  try {
    const exitCode = await command.run(call)
    await output.flush()
    return exitCode
  } finally {
    reads?.end()
  }
}

/** The environment of the process, with the variables and the folder of `io`. */
export function environmentOf(io: CliIo): Environment {
  if (io === process) return environmentFrom(undefined)
  const { HOME } = io.env
  return environmentFrom({
    host: {
      variables: io.env,
      cwd: () => io.cwd(),
      ...(HOME !== undefined && { homedir: () => HOME }),
    },
  })
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

/** What was printed before the failure was true, so it is still written. */
function afterFlush(output: Output, error: unknown): Promise<unknown> {
  return output.flush().then(
    () => error,
    (flushError) => flushError,
  )
}
