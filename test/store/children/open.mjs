// Has a session open until its input ends.

import { resumeSession } from '../../../dist/lib/index.js'

const [root, id] = process.argv.slice(2)
const { session } = await resumeSession({ root, home: root, id, mode: 'append', quiet: true })
process.stdout.write('open\n')
for await (const _ of process.stdin) {
}
await session.release()
