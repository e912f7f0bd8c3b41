// A test that never comes back holds its thread, so only another one can end the process. The name
// of the mutant is left behind: the next process answers for it.

import { writeFileSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

const LOOK_MS = 500
const beat = new Int32Array(workerData.beat)
let last = -1
let since = 0
setInterval(() => {
  const now = Atomics.load(beat, 0)
  if (now !== last) {
    last = now
    since = performance.now()
  } else if (Atomics.load(beat, 1) === 1 && performance.now() - since > workerData.hangMs) {
    writeFileSync(workerData.markOf + Atomics.load(beat, 2), '')
    process.kill(process.pid, 'SIGKILL')
  }
}, LOOK_MS)
