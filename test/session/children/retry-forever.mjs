// Starts a background retry that can never succeed, and has nothing else to do.

import { createCompactor, createSession } from '../../../dist/lib/index.js'

const session = await createSession({ root: process.argv[2], id: 's' })
for (let number = 1; number <= 20; number++) {
  await session.append({ type: 'user', payload: { content: `${number}` } })
}
const summarizers = [
  async () => {
    throw new Error('down')
  },
]
const compactor = createCompactor(session, { summarizers, retryIntervalSeconds: 1 })
const { strategy } = await compactor.compact()
compactor.startRetryLoop()
process.stdout.write(strategy)
