// A hook: it claims for whoever started it, prints whom it took for that, and is gone.
// Arguments: root, session.

import { claimSession, parentIdentity } from '../../../dist/lib/index.js'

const [root, session] = process.argv.slice(2)
const owner = parentIdentity()
await claimSession(session, { root, runtimePath: 'plugin', owner })
process.stdout.write(JSON.stringify(owner))
