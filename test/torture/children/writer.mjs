// Appends lines and says so, one JSON object per line on stdout. What is said of a line is said
// after its append was awaited: a pipe keeps it when this process is killed the next moment.

import { promises } from 'node:fs'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { appendOnce, openLog } from '../../../dist/lib/log/index.js'

const task = JSON.parse(process.argv[2])
const { path, how, name, sizes, pauseMs = 0, options = {} } = task
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

function eventOf(index) {
  const text = `${name} ${index} é漢 `.padEnd(sizes[index % sizes.length], 'abcdefgh ')
  const type = index % 2 === 0 ? 'user' : 'assistant'
  return { type, uuid: `${name}-${index}`, payload: { content: text } }
}

const ways = {
  async lease() {
    const since = performance.now()
    const log = await openLog(path, options)
    say({ opened: { lockKind: log.lockKind, tookMs: performance.now() - since } })
    return { append: (event) => log.append(event), end: () => log.close() }
  },
  async once() {
    const append = async (event) => (await appendOnce(path, [event], options))[0]
    return { append, end: () => {} }
  },
  /** The path is the root of a store. */
  async transcript() {
    const { append_transcript } = await import('../../../dist/lib/session/append-transcript.js')
    const session_id = 'shared'
    const append = (event) => append_transcript({ session_id, event }, { root: path, ...options })
    return { append, end: () => {} }
  },
  /** What many write: it cuts long lines into several writes. */
  async promises() {
    const append = async (event) => {
      await promises.appendFile(path, `${JSON.stringify({ ...event, prev_uuid: null })}\n`)
      return { uuid: event.uuid }
    }
    return { append, end: () => {} }
  },
}

say({ ready: true })
await go
try {
  const way = await ways[how]()
  for (let index = 0; index < count && !isFinishing; index++) {
    say({ ack: await way.append(eventOf(index)) })
    // Commands and timers get their turn.
    await (pauseMs > 0 ? sleep(pauseMs) : nextTurn())
  }
  await way.end()
  say({ done: true })
} catch (error) {
  say({ refused: error.code })
  throw error
}
process.stdin.destroy()
