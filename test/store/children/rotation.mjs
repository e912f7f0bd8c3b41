// Records one prompt in a history that is full. After so many renames of the rotation it dies by
// SIGKILL, or the disk refuses the next one.

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const [home, renames, how] = process.argv.slice(2)
let left = Number(renames)
const rename = fs.renameSync
fs.renameSync = (from, to) => {
  if (!String(from).includes('history.jsonl')) return rename(from, to)
  if (left === 0) giveUp()
  left--
  rename(from, to)
  // After the last rename there is no next one to die before.
  if (left === 0 && String(from).endsWith('history.jsonl')) giveUp()
}
syncBuiltinESMExports()

function giveUp() {
  if (how === 'kill') process.kill(process.pid, 'SIGKILL')
  throw Object.assign(new Error('EPERM: refused'), { code: 'EPERM', syscall: 'rename' })
}

const { openContext } = await import('../../../dist/modules/lib/store/context.js')
const { appendHistory } = await import('../../../dist/modules/lib/store/history/append.js')
const codes = []
const onDiagnostic = ({ code }) => codes.push(code)
const store = openContext({ home, onDiagnostic })
await appendHistory(store, 'despite it', 's', {}, { limits: { entries: 1 } })
process.stdout.write(JSON.stringify(codes))
