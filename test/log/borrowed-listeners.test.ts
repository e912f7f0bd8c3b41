// The package that locks brings signal listeners along. They are taken back, unless somebody else
// uses them; asked of a module that has loaded nothing yet.

import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

type Loading = typeof import('../../lib/log/packages.js')

let count = 0

async function startAnew(): Promise<Loading> {
  const name = `../../lib/log/packages.ts?first-time=${++count}`
  return (await import(/* @vite-ignore */ new URL(name, import.meta.url).href)) as Loading
}

interface SignalExit {
  load(): void
  unload(): void
}

const require = createRequire(import.meta.url)
const requireThere = createRequire(require.resolve('proper-lockfile'))
const listeners = () => process.listenerCount('SIGTERM')
const shared = process as typeof process & { __signal_exit_emitter__?: EventEmitter | undefined }

/** Loads it where the listeners are there already, and those stand in the common list. */
async function countAfter(events: readonly string[] | undefined): Promise<[number, number]> {
  require('proper-lockfile')
  const signalExit = requireThere('signal-exit') as SignalExit
  const { __signal_exit_emitter__: real } = shared
  const { loadProperLockfile } = await startAnew()
  // Ours may be the first to load the package in this process.
  signalExit.unload()
  const before = listeners()
  signalExit.load()
  try {
    const emitter = events && new EventEmitter()
    for (const event of events ?? []) emitter?.on(event, () => {})
    shared.__signal_exit_emitter__ = emitter
    expect(loadProperLockfile()).toBe(require('proper-lockfile'))
    const after = listeners() - before
    // Once is enough: whoever comes to use them later keeps them.
    signalExit.load()
    loadProperLockfile()
    return [after, listeners() - before]
  } finally {
    shared.__signal_exit_emitter__ = real
    signalExit.unload()
  }
}

test('without other users they are removed, and not added again', async () => {
  expect(await countAfter(undefined)).toEqual([0, 1])
  expect(await countAfter([])).toEqual([0, 1])
})

test.each([[['exit']], [['afterexit']], [['exit', 'afterexit']]])(
  'somebody else uses them: they stay (%j)',
  async (events) => {
    expect(await countAfter(events)).toEqual([1, 1])
  },
)
