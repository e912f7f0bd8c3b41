// Somebody else's code is told of something that is done and cannot be undone.

/** Its error does not make the caller fail; it surfaces by itself, as news of its own. */
export function callListener(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
