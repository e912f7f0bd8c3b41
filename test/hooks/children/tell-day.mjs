// Tells a day of hooks, in order or shuffled. Arguments: root, the events as a JSONL file, a seed
// (0 for the order of the day). Prints a dot for each event that it has told.

import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { runHook } from '../../../dist/modules/lib/hooks/index.js'

const [root, path, seed] = process.argv.slice(2)
const events = readFileSync(path, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

for (const { at, input } of seed === '0' ? events : shuffled(events, Number(seed))) {
  const stdin = new PassThrough()
  stdin.end(JSON.stringify(input))
  await runHook({
    store: { root, home: root },
    io: { stdin, env: {}, cwd: () => '/work' },
    write: async () => {},
    report: (text) => process.stderr.write(`${text}\n`),
    environment: { now: () => Date.parse(at) },
  })
  process.stdout.write('.')
}

function shuffled(list, start) {
  const order = [...list]
  let state = start
  for (let last = order.length - 1; last > 0; last--) {
    state = (state * 1103515245 + 12345) % 2147483648
    const other = state % (last + 1)
    ;[order[last], order[other]] = [order[other], order[last]]
  }
  return order
}
