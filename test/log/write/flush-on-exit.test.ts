// What is written when the process ends, asked of a module that knows of no log yet.

import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'

let count = 0

async function startAnew(): Promise<typeof import('../../../lib/log/write/flush-on-exit.js')> {
  const url = new URL(
    `../../../lib/log/write/flush-on-exit.ts?first-time=${++count}`,
    import.meta.url,
  )
  return (await import(
    /* @vite-ignore */ url.href
  )) as typeof import('../../../lib/log/write/flush-on-exit.js')
}

test('one listener serves all logs, before those of others, and goes with the last', async () => {
  const { flushOnExit } = await startAnew()
  const before = process.listeners('exit')
  const written: string[] = []
  const failing = flushOnExit(() => {
    throw new Error('a disk that is full')
  }, systemEnvironment)
  const stop = flushOnExit(() => written.push('second'), systemEnvironment)
  const [first, ...others] = process.listeners('exit')
  expect(others).toEqual(before)
  first?.(0)
  expect(written).toEqual(['second'])
  failing()
  expect(process.listeners('exit')).toEqual([first, ...before])
  stop()
  stop()
  expect(process.listeners('exit')).toEqual(before)
  first?.(0)
  expect(written).toEqual(['second'])
})
