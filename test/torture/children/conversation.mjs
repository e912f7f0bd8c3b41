// How a child talks with its parent: it says what happened on stdout, one JSON object per line, and
// hears "go" and "finish" on stdin.

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

export const task = JSON.parse(process.argv[2])

export let isFinishing = false

const go = new Promise((resolve) => {
  process.stdin.on('data', (chunk) => {
    if (String(chunk).includes('go')) resolve()
    if (String(chunk).includes('finish')) isFinishing = true
  })
})
// A parent that died must not leave us behind.
process.stdin.on('end', () => process.exit(0))

/** To a pipe this is a synchronous write: it is known when this process is killed the next moment. */
export function say(what) {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}

/** Resolves when the parent says so. */
export function toldToGo() {
  say({ ready: true })
  return go
}

/** Between two steps commands and timers get their turn. */
export function pause() {
  const { pauseMs = 0 } = task
  return pauseMs > 0 ? sleep(pauseMs) : nextTurn()
}

/** Nothing more is to be heard: the process may end. */
export function hangUp() {
  process.stdin.destroy()
}
