// Holds a session until it is told to end.

import { createSession } from '../../../dist/lib/index.js'

const [root, mode] = process.argv.slice(2)
const session = await createSession({ root, id: 's', handleSignals: mode === 'handle' })
await session.append({ type: 'user', payload: { content: 'hello' } })
process.stdout.write('ready\n')
setInterval(() => {}, 1000)
