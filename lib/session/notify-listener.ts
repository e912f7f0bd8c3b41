/**
 * Calls a listener after something was written. An error it throws does not fail the write; it is
 * thrown again in a microtask, as an uncaught exception.
 */
export function callListener(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
