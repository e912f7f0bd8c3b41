// What a tick still holds when the process exits is written then: `append(); process.exit()`
// keeps the line. The only listener a library may install without being asked.

const writers = new Set<() => void>()

/** Calls `write` when the process exits, until the returned function is called. */
export function writeOnExit(write: () => void): () => void {
  // Before the listener that gives the locks free.
  if (writers.size === 0) process.prependListener('exit', writeAll)
  writers.add(write)
  return () => {
    writers.delete(write)
    if (writers.size === 0) process.removeListener('exit', writeAll)
  }
}

function writeAll(): void {
  for (const write of writers) {
    try {
      write()
    } catch {
      // Its promises are rejected; nobody is left to hear more, and the other logs come next.
    }
  }
}
