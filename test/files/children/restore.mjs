// Brings the files of a session back, and is killed somewhere in the middle of it.

import { resumeSession } from '../../../dist/lib/index.js'

const [root, id, to] = process.argv.slice(2)
const { session } = await resumeSession({ root, home: root, id, mode: 'append', quiet: true })
const plan = await session.planFileRewind({ to })
process.stdout.write('ready\n')
await session.applyFileRewind(plan)
process.stdout.write('done\n')
await session.release()
