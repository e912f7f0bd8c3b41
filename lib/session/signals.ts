// Sessions that asked for it are closed on a signal, which is raised again afterwards. Open
// subagents get an ending also when the process exits by itself.

import type { Host } from '../environment/index.js'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** What to close, the newest first: children are opened after their parents. */
class Closers {
  readonly #closers = new Set<() => void>()
  readonly #listen: () => () => void
  #stopListening = () => {}

  /** `listen` returns how to stop listening. */
  constructor(listen: () => () => void) {
    this.#listen = listen
  }

  add(close: () => void): () => void {
    if (this.#closers.size === 0) this.#stopListening = this.#listen()
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
        // One that cannot be closed (a full disk) must not stop the others, or the signal.
      }
    }
    if (this.#closers.size > 0) this.#stopListening()
    this.#closers.clear()
  }
}

interface HostClosers {
  readonly onSignal: Closers
  readonly onExit: Closers
}

const closersByHost = new WeakMap<Host, HostClosers>()

function closersOf(host: Host): HostClosers {
  const known = closersByHost.get(host)
  if (known !== undefined) return known
  const onSignal: Closers = new Closers(() => {
    const end = (signal: NodeJS.Signals) => {
      onSignal.closeAll()
      // Another listener is responsible for ending the process.
      if (host.signalListenerCount(signal) === 0) host.kill(host.pid, signal)
    }
    const stops = SIGNALS.map((signal) => host.onSignal(signal, end))
    return () => {
      for (const stop of stops) stop()
    }
  })
  // Before the listener that releases the locks.
  const onExit: Closers = new Closers(() => host.onExit(() => onExit.closeAll()))
  const closers = { onSignal, onExit }
  closersByHost.set(host, closers)
  return closers
}

/** Calls `close` on a signal, until the returned function is called. */
export function closeOnSignal(host: Host, close: () => void): () => void {
  return closersOf(host).onSignal.add(close)
}

/** Calls `close` when the process exits, until the returned function is called. */
export function closeOnExit(host: Host, close: () => void): () => void {
  return closersOf(host).onExit.add(close)
}
