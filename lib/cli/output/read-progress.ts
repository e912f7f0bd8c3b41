// A sign of life for every command that reads longer than a second: the bytes read so far. It is
// shown by the reads themselves, because much of the reading is synchronous and leaves a timer no time.

import type { Environment } from '../../environment/index.js'
import type { Notes } from './notes.js'
import type { Output } from './output.js'
import { formatSize } from './units.js'

const FIRST_MS = 1000
const AGAIN_MS = 200

/** The environment whose reads show progress, and the end of that. */
export function watchReads(
  env: Environment,
  { notes, output }: { readonly notes: Notes; readonly output: Output },
): { readonly env: Environment; end(): void } {
  if (!notes.isWatched) return { env, end: () => {} }
  let bytes = 0
  let next = env.now() + FIRST_MS
  let isShown = false
  const end = () => {
    if (isShown) notes.sayInPlace('')
    isShown = false
  }
  const count = (read: number) => {
    bytes += read
    if (env.now() < next || notes.hasProgress) return
    // On a terminal the answer itself is the sign of life.
    if (output.isTerminal && output.hasWritten) return
    next = env.now() + AGAIN_MS
    isShown = true
    notes.sayInPlace(`Reading … ${formatSize(bytes)}`)
  }
  output.onFirstWrite = end
  const { fs } = env
  const watched: Environment['fs'] = {
    ...fs,
    readSync: ((...args: Parameters<typeof fs.readSync>) => {
      const read = fs.readSync(...args)
      count(read)
      return read
    }) as typeof fs.readSync,
    read: ((...args: unknown[]) => {
      const done = args.pop() as (error: Error | null, read: number, ...rest: unknown[]) => void
      const counted: typeof done = (error, read, ...rest) => {
        if (error === null) count(read)
        done(error, read, ...rest)
      }
      ;(fs.read as (...all: unknown[]) => void)(...args, counted)
    }) as unknown as typeof fs.read,
  }
  return { env: { ...env, fs: watched }, end }
}
