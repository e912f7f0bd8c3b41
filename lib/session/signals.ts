// The last moments of a process. Sessions that asked for it are closed when it is told to end; the
// signal is raised again afterwards, so that it does what it would have done. Subagents are given
// an ending also when it ends by itself.

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** What to close, the newest first: children were opened after their parents. */
class Closers {
  readonly #closers = new Set<() => void>()
  readonly #listen: () => void
  readonly #stopListening: () => void

  constructor(listen: () => void, stopListening: () => void) {
    this.#listen = listen
    this.#stopListening = stopListening
  }

  add(close: () => void): () => void {
    if (this.#closers.size === 0) this.#listen()
    this.#closers.add(close)
    return () => {
      if (this.#closers.delete(close) && this.#closers.size === 0) this.#stopListening()
    }
  }

  closeAll(): void {
    for (const close of [...this.#closers].reverse()) {
      try {
        close()
      } catch {
        // One that cannot be closed (a full disk) must not keep the others, or the signal, from it.
      }
    }
    if (this.#closers.size > 0) this.#stopListening()
    this.#closers.clear()
  }
}

const onSignal: Closers = new Closers(
  () => {
    for (const signal of SIGNALS) process.on(signal, endBySignal)
  },
  () => {
    for (const signal of SIGNALS) process.off(signal, endBySignal)
  },
)

const onExit: Closers = new Closers(
  // Before the listener that gives the locks free.
  () => process.prependListener('exit', endByExit),
  () => process.off('exit', endByExit),
)

/** Calls `close` on a signal, until the returned function is called. */
export function closeOnSignal(close: () => void): () => void {
  return onSignal.add(close)
}

/** Calls `close` when the process exits, until the returned function is called. */
export function closeOnExit(close: () => void): () => void {
  return onExit.add(close)
}

function endBySignal(signal: NodeJS.Signals): void {
  onSignal.closeAll()
  // With another listener it is theirs to end the process.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
}

function endByExit(): void {
  onExit.closeAll()
}
