// What a tick still holds when the process exits is written then: `append(); process.exit()`
// keeps the line. The only listener a library may install without being asked.

import type { Environment, Host } from '../../environment/index.js'

interface Writers {
  readonly calls: Set<() => void>
  stopListening: () => void
}

const writersByHost = new WeakMap<Host, Writers>()

/** Calls `write` when the process exits, until the returned function is called. */
export function flushOnExit(write: () => void, { host }: Pick<Environment, 'host'>): () => void {
  let writers = writersByHost.get(host)
  if (writers === undefined) {
    writers = { calls: new Set(), stopListening: () => {} }
    writersByHost.set(host, writers)
  }
  const { calls } = writers
  // Runs before the listener that releases the locks, which was added earlier.
  if (calls.size === 0) {
    writers.stopListening = host.onExit(function writeAll() {
      callAll(calls)
    })
  }
  calls.add(write)
  return () => {
    calls.delete(write)
    if (calls.size === 0) writers.stopListening()
  }
}

function callAll(calls: ReadonlySet<() => void>): void {
  for (const write of calls) {
    try {
      write()
    } catch {
      // Its promises are rejected, and no caller is left to see more; the other logs come next.
    }
  }
}
