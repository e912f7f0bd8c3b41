// Appends lines and says so, one JSON object per line on stdout. What is said of a line is said
// after its append was awaited: a pipe keeps it when this process is killed the next moment.

import { promises } from 'node:fs'
import { appendOnce, openLog } from '../../../dist/modules/lib/log/index.js'
import { hangUp, isFinishing, pause, say, task, toldToGo } from './conversation.mjs'

const { path, how, name, sizes, options = {} } = task
const { count = Number.POSITIVE_INFINITY } = task

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
    const { appendTranscript } = await import('../../../dist/lib/index.js')
    const session_id = 'shared'
    const append = (event) => appendTranscript({ session_id, event }, { root: path, ...options })
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

await toldToGo()
try {
  const way = await ways[how]()
  for (let index = 0; index < count && !isFinishing; index++) {
    say({ ack: await way.append(eventOf(index)) })
    await pause()
  }
  await way.end()
  say({ done: true })
} catch (error) {
  say({ refused: error.code })
  throw error
}
hangUp()
