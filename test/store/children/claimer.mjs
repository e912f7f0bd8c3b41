// Claims one session after another, each as soon as it is told to, and says what came of it.
// Arguments: root, runtime path.

import { claimSession } from '../../../dist/lib/index.js'

const [root, runtimePath] = process.argv.slice(2)
process.on('message', async ({ session }) => {
  try {
    const { expiresAt } = await claimSession(session, { root, runtimePath })
    process.send({ session, expiresAt })
  } catch (error) {
    process.send({ session, code: error.code, claimedBy: error.details?.claimedBy })
  }
})
process.send('ready')
