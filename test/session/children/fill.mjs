// Subagents that write until they are stopped: those of a session, or one of another process.

import { createInterface } from 'node:readline'
import { createSession, openSidechain } from '../../../dist/lib/index.js'

const { root, cap, children, task } = JSON.parse(process.argv[2])
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const hear = async () => JSON.parse((await lines.next()).value)
const warnings = []
const options = {
  root,
  maxSidechainBytes: cap,
  durability: 'none',
  onDiagnostic: ({ code }) => warnings.push(code),
}

let session
const open = []
if (task === undefined) {
  session = await createSession({ ...options, id: 'demo' })
  for (let count = 0; count < children; count++) open.push(await session.spawn({ prompt: 'Go.' }))
  say({ task: await session.delegate({ taskId: 'remote', prompt: 'Go.' }) })
} else {
  open.push(await openSidechain(task, options))
  say({ ready: true })
}

await hear()
while (open.some(({ report }) => report === undefined)) {
  for (const child of open.filter(({ report }) => report === undefined)) {
    const content = 'x'.repeat(2000)
    await child.append({ type: 'assistant', payload: { content } }).catch((error) => {
      if (error.code !== 'ERR_SUBAGENT_LIMIT') throw error
    })
  }
  // The other process has its turn, too.
  await new Promise(setImmediate)
}

if (session !== undefined) {
  for (const report of (await hear()).merge) await session.mergeResult(report)
  await session.close()
}
say({ reports: open.map(({ report }) => report), warnings })
process.stdin.destroy()
