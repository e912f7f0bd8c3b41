// A neighbour that knows no locks and dies in the middle of a line.

import { appendFileSync } from 'node:fs'
import { say, task, toldToGo } from './conversation.mjs'

const { path, half } = task

await toldToGo()
appendFileSync(path, half)
say({ ack: { uuid: 'half' } })
