// Callers of one process queue here before they try the lock, first come, first served. Against
// each other on the disk they would only poll, and the unlucky ones would time out.

export interface Turn {
  /** Resolves when those before have ended theirs; absent when there is nobody to wait for. */
  readonly ready: Promise<void> | undefined
  /** Idempotent. May be called before the turn has come: the next one still waits for the others. */
  end(): void
}

const lastByPath = new Map<string, Promise<void>>()

export function takeTurn(path: string): Turn {
  const ready = lastByPath.get(path)
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const last = ready === undefined ? ended : ready.then(() => ended)
  lastByPath.set(path, last)
  return {
    ready,
    end() {
      end()
      if (lastByPath.get(path) !== last) return
      // Forgotten at once if nobody stands before us, else when they are through.
      if (ready === undefined) lastByPath.delete(path)
      else void last.then(() => lastByPath.get(path) === last && lastByPath.delete(path))
    },
  }
}
