// Queues one checkpoint with a debounce of two minutes, then ends in one of several ways.

import { appendFileSync } from 'node:fs'
import { CheckpointQueue } from '../../../dist/modules/lib/continuity/index.js'
import { systemEnvironment } from '../../../dist/modules/lib/environment/index.js'

const [file, mode] = process.argv.slice(2)

function writeSync({ id }) {
  if (mode === 'full') throw new Error('no space')
  appendFileSync(file, `${id}\n`)
  return { id, byteOffset: 0, sha256: '' }
}

const queue = new CheckpointQueue(systemEnvironment, {
  sink: { write: async (record) => writeSync(record), writeSync },
  debounceMs: 120_000,
  onDiagnostic: ({ code, message }) => process.stderr.write(`${code}: ${message}\n`),
})
queue.add({
  id: '00000000-0000-4000-8000-000000000001',
  session_key: 's',
  agent_id: 'default',
  trigger: 'periodic',
})

if (mode === 'exit') process.exit(3)
if (mode === 'signal') {
  process.once('SIGTERM', () => {
    queue.flushSync()
    process.kill(process.pid, 'SIGTERM')
  })
  setInterval(() => {}, 1000)
  process.stdout.write('ready\n')
}
