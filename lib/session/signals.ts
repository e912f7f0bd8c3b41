// Sessions that asked for it are closed when the process is told to end. The signal is raised
// again afterwards, so that it does what it would have done.

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

const closers = new Set<() => void>()

/** Calls `close` on a signal, until the returned function is called. */
export function closeOnSignal(close: () => void): () => void {
  if (closers.size === 0) for (const signal of SIGNALS) process.on(signal, closeAll)
  closers.add(close)
  return () => {
    closers.delete(close)
    if (closers.size === 0) for (const signal of SIGNALS) process.off(signal, closeAll)
  }
}

function closeAll(signal: NodeJS.Signals): void {
  for (const close of [...closers]) {
    try {
      close()
    } catch {
      // One that cannot be closed (a full disk) must not keep the others, or the signal, from it.
    }
  }
  closers.clear()
  for (const name of SIGNALS) process.off(name, closeAll)
  // With another listener it is theirs to end the process.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
}
