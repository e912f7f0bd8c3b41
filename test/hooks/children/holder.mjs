// Holds a log of a session. Arguments: root, session, how: `lease` keeps a session open and appends
// to it when it is told to; `once` sits in the middle of one append, `claims` in that of a claim.
// Lines on stdin: `append`, `free`.

import { createInterface } from 'node:readline'
import { resumeSession } from '../../../dist/lib/index.js'
import { withLockedLog } from '../../../dist/modules/lib/log/index.js'

const [root, id, how] = process.argv.slice(2)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const say = (text) => process.stdout.write(`${text}\n`)

if (how === 'lease') {
  const { session } = await resumeSession({ id, root, home: root, mode: 'append' })
  say('held')
  for (;;) {
    const { value } = await lines.next()
    if (value !== 'append') break
    await session.append({ type: 'turn_end', payload: {} })
    say('appended')
  }
  await session.close()
  process.stdin.destroy()
} else {
  const folder = how === 'claims' ? '.claims' : '.transcripts'
  const path = `${root}/${folder}/${id}.jsonl`
  const flag = new Int32Array(new SharedArrayBuffer(4))
  await withLockedLog(path, { durability: 'none' }, () => {
    say('held')
    // Until somebody ends it: a step under a lock cannot listen.
    Atomics.wait(flag, 0, 0, 30_000)
  })
}
