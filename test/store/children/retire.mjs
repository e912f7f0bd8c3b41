// Puts every session of a store into its archive, and is killed somewhere in the middle of it.

import { retireSessions } from '../../../dist/lib/index.js'

const [root, now] = process.argv.slice(2)
const environment = { now: () => Number(now) }
process.stdout.write('ready\n')
const olderThanMs = 0
await retireSessions({ root, home: root, environment, to: 'archive', olderThanMs, apply: true })
