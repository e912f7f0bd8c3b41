// Holds a session with a subagent and a subagent of that, or a subagent alone, until it is told to
// end or ends by itself.

import { createSession, openSidechain } from '../../../dist/lib/index.js'

const { root, handleSignals = false, end, isAlone = false } = JSON.parse(process.argv[2])
const words = { type: 'assistant', payload: { content: 'at work' } }

if (isAlone) {
  const task = { taskId: 'k1', sessionId: 's', parentUuid: null, depth: 1, prompt: 'Go.' }
  const child = await openSidechain(task, { root, handleSignals })
  await child.append(words)
} else {
  const session = await createSession({ root, id: 's', handleSignals })
  const child = await session.spawn({ taskId: 'k1', prompt: 'Go.' })
  await child.append(words)
  const grandchild = await child.spawn({ taskId: 'k2', prompt: 'Deeper.' })
  // Not waited for: what this tick still holds belongs to the log, too.
  void grandchild.append(words)
}
process.stdout.write(`${JSON.stringify({ ready: true })}\n`)
if (end === 'exit') process.exit(0)
if (end === 'throw') throw new Error('a bug of the harness')
setInterval(() => {}, 1000)
