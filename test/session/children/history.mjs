// Reads the whole history of a session in a process with little memory.

import { openStore } from '../../../dist/lib/index.js'

const { root, id } = JSON.parse(process.argv[2])
const { session } = await openStore({ root }).resumeSession({ id, newId: 'reader' })
let events = 0
let bytes = 0
for await (const { event } of session.history()) {
  events++
  bytes += event.payload.content.length
}
await session.release()
process.stdout.write(JSON.stringify({ events, bytes }))
