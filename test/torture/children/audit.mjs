// All operations of a store, for a test that traces its system calls.

import {
  append_transcript,
  createSession,
  forkSession,
  listSessions,
  resumeSession,
} from '../../../dist/lib/index.js'

const [root] = process.argv.slice(2)
const options = { root, home: root, project: root }
const session = await createSession({ ...options, id: 'audited' })
for (const content of ['one', 'two', 'three']) {
  await session.prompt(content)
  await session.append({ type: 'assistant', payload: { content } })
}
await session.compact({ summary: 'So far.', keepFrom: session.messages().messages.at(-1).uuid })
await session.checkpoint({ digest: 'What the next one should know.' })
await session.rewind({ to: session.messages().messages[0].uuid })
await session.rename('Audited')
const child = await session.spawn({ taskId: 'task', prompt: 'Go.' })
await child.finish({ status: 'completed', summary: 'Done.' })
await session.close()
forkSession('audited', { root, newId: 'forked' })
const event = { type: 'user', payload: { content: 'from a hook' } }
await append_transcript({ session_id: 'audited', event }, options)
const resumed = await resumeSession({ ...options, id: 'audited' })
await resumed.session.close()
listSessions({ root })
