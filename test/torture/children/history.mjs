// Records prompts in a history that others write and rotate at the same time, and says so, one
// JSON object per line on stdout, after each was acknowledged.

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { append_history } from '../../../dist/lib/store/history-append.js'

const task = JSON.parse(process.argv[2])
const { home, name, chars = [20], pauseMs = 0, options } = task
const { count = Number.POSITIVE_INFINITY } = task

let isFinishing = false
const go = new Promise((resolve) => {
  process.stdin.on('data', (chunk) => {
    if (String(chunk).includes('go')) resolve()
    if (String(chunk).includes('finish')) isFinishing = true
  })
})
// A parent that died must not leave us behind.
process.stdin.on('end', () => process.exit(0))

function say(what) {
  // To a pipe this is a synchronous write.
  process.stdout.write(`${JSON.stringify(what)}\n`)
}

say({ ready: true })
await go
for (let index = 0; index < count && !isFinishing; index++) {
  const prompt = `${name} ${index} `.padEnd(chars[index % chars.length], 'é漢 ')
  await append_history(prompt, name, { home, ...options })
  say({ ack: { uuid: prompt } })
  // Commands get their turn.
  await (pauseMs > 0 ? sleep(pauseMs) : nextTurn())
}
say({ done: true })
process.stdin.destroy()
