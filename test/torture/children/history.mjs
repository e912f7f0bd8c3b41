// Records prompts in a history that others write and rotate at the same time, and says so, one
// JSON object per line on stdout, after each was acknowledged.

import { openContext } from '../../../dist/modules/lib/store/context.js'
import { appendHistory } from '../../../dist/modules/lib/store/history/append.js'
import { hangUp, isFinishing, pause, say, task, toldToGo } from './conversation.mjs'

const { home, name, chars = [20], options } = task
const { count = Number.POSITIVE_INFINITY } = task

const { limits, durability, ...context } = options
const store = openContext({ home, ...context })

await toldToGo()
for (let index = 0; index < count && !isFinishing; index++) {
  const prompt = `${name} ${index} `.padEnd(chars[index % chars.length], 'é漢 ')
  await appendHistory(store, prompt, name, { durability }, { limits })
  say({ ack: { uuid: prompt } })
  await pause()
}
say({ done: true })
hangUp()
