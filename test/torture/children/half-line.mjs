// A neighbour that knows no locks and dies in the middle of a line.

import { appendFileSync } from 'node:fs'

const { path, half } = JSON.parse(process.argv[2])

process.stdout.write('{"ready":true}\n')
process.stdin.once('data', () => {
  appendFileSync(path, half)
  process.stdout.write('{"ack":{"uuid":"half"}}\n')
})
