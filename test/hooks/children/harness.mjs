// A harness: runs the hooks it is given and stays until it is killed. Arguments: the binary, then
// one JSON event each.

import { spawnSync } from 'node:child_process'

const [binary, ...events] = process.argv.slice(2)
for (const input of events) {
  const { status, stderr } = spawnSync(process.execPath, [binary, 'hook'], { input })
  if (status !== 0 || stderr.length > 0) throw new Error(String(stderr))
}
process.stdout.write('told\n')
setInterval(() => {}, 1 << 30)
