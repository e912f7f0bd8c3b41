// One subagent in a process of its own: does its task and prints its report.

import { openSidechain } from '../../../dist/lib/index.js'

const { root, task } = JSON.parse(process.argv[2])
const child = await openSidechain(task, { root })
await child.append({ type: 'assistant', payload: { content: 'Working.' } })
const report = await child.finish({ status: 'completed', summary: 'Done elsewhere.' })
process.stdout.write(JSON.stringify(report))
