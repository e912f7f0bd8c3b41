// Work in a process of its own: every case, so that none inherits another's heap and compiled
// code, and every sample that is about a fresh start or about memory.

import { fork, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url))

const running = new Set()
let isStopping = false

export async function runInChild(task, argument, options) {
  return startChild(task, argument, options).result
}

/**
 * It starts a task of child.mjs. One that waits for a signal gets it by `go()` once it is `ready`.
 * With `ownGroup`, whatever the child starts can be stopped together with it.
 */
export function startChild(task, argument, { ownGroup = false } = {}) {
  const child = fork(CHILD, [task, JSON.stringify(argument)], {
    detached: ownGroup && process.platform !== 'win32',
    execArgv: ['--expose-gc'],
  })
  const ready = deferred()
  const result = new Promise((resolve, reject) => {
    let answer
    child.on('message', (message) => {
      if (message.ready) ready.resolve()
      else answer = message
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      running.delete(child)
      // The caller must not take this for a result and continue.
      if (isStopping) return
      if (answer?.error !== undefined) reject(new Error(answer.error))
      else if (answer !== undefined) resolve(answer.result)
      else reject(new Error(`${task} ended early (${signal ?? `exit code ${code}`})`))
    })
  })
  // A caller that waits for `ready` must not wait for a child that has failed.
  result.catch(ready.reject)
  ready.promise.catch(() => {})
  running.add(child)
  return { ready: ready.promise, result, go: () => child.send('go') }
}

/**
 * It runs Node with these arguments, and what it shall read from its stdin, and returns how long
 * that took, start included, in microseconds.
 */
export function timeProcess(args, input = '') {
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { input })
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  return (performance.now() - start) * 1000
}

/** It ends what this process has started, for good, and waits until it has ended. */
export async function stopChildren() {
  isStopping = true
  await Promise.all(
    [...running].map((child) => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      killGroup(child)
      return ended
    }),
  )
}

function killGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It leads no group: Windows has none.
    child.kill('SIGKILL')
  }
}

// Promise.withResolvers came with Node 22.
function deferred() {
  let settle
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...settle }
}
