// Errors that nobody caught, kept from ending the test run.

import type { TestContext } from 'vitest'

/** They are added to the list as they come, until the test ends. */
export function collectUncaught(t: Pick<TestContext, 'onTestFinished'>): unknown[] {
  const uncaught: unknown[] = []
  const listeners = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => uncaught.push(error))
  t.onTestFinished(() => {
    process.removeAllListeners('uncaughtException')
    for (const listener of listeners) process.on('uncaughtException', listener)
  })
  return uncaught
}
