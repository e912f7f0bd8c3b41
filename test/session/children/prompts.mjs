// Asks so many questions, gives its checkpoints a moment, and waits to be killed.

import { createSession } from '../../../dist/lib/index.js'

const [root, count] = process.argv.slice(2)
const continuity = { debounceMs: 0 }
const session = await createSession({ root, home: root, project: root, continuity })
for (let number = 1; number <= Number(count); number++) await session.prompt(`question ${number}`)
const isStored = new Promise((resolve) => {
  const timer = setInterval(async () => {
    for await (const entry of session.raw()) {
      if (entry.kind !== 'event' || entry.event.type !== 'checkpoint_ref') continue
      clearInterval(timer)
      resolve()
    }
  }, 20)
})
await isStored
process.stdout.write('ready\n')
setInterval(() => {}, 1000)
