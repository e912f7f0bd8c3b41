// Works in a session, leaves a checkpoint, and stays until it is ended.

import { checkpointSession, createSession } from '../../../dist/lib/index.js'

const [root, project, id] = process.argv.slice(2)
const session = await createSession({ root, id, project })
await session.append({ type: 'user', payload: { content: 'hello' } })
await checkpointSession({ root, sessionKey: id, digest: `The work of ${id}` })
process.stdout.write('ready\n')
setInterval(() => {}, 1000)
