// What stands at the other end of stdout may leave, dawdle or be full.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { id, line } from '../../helpers/lines.js'
import { temporaryFile } from '../../helpers/temporary.js'
import { BINARY, startCli } from '../command-line.js'

const LINE_COUNT = 5000
const BIG = Buffer.concat(
  Array.from({ length: LINE_COUNT }, (_, number) =>
    line('user', { uuid: id(number), payload: { content: 'x'.repeat(1000) } }),
  ),
)

test('5 MB through a slow pipe arrive whole', async (t) => {
  const path = temporaryFile(t, 'big.jsonl', BIG)
  const child = startCli(['log', path, '--json'])
  const closed = new Promise((resolve) => child.on('close', resolve))
  let text = ''
  let chunkCount = 0
  for await (const chunk of child.stdout) {
    text += chunk
    if (chunkCount++ % 10 === 0) await sleep(10)
  }
  expect(await closed).toBe(0)
  expect(text.length).toBeGreaterThan(5e6)
  const rows = text.trimEnd().split('\n')
  expect(rows).toHaveLength(LINE_COUNT)
  expect(JSON.parse(rows.at(-1)!).event.uuid).toBe(id(LINE_COUNT - 1))
})

test.for(['log "$2"', 'show "$2"', 'verify "$2" "$2"', '--help', '--version'])(
  'a reader that leaves early is no error of %s',
  async (command, t) => {
    const path = temporaryFile(t, 'big.jsonl', BIG)
    const script = `( "$0" "$1" ${command}; echo "exit $?" >&2 ) | true`
    const { stderr } = await promisify(execFile)('sh', [
      '-c',
      script,
      process.execPath,
      BINARY,
      path,
    ])
    expect(stderr).toMatch(/^exit [01]\n$/)
  },
)

test.runIf(existsSync('/dev/full'))('an output that is full is an error', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', line('user'))
  const script = `"$0" "$1" log "$2" > /dev/full; echo "exit $?" >&2`
  const args = ['-c', script, process.execPath, BINARY, path]
  const { stderr } = await promisify(execFile)('sh', args)
  expect(stderr).toMatch(/ENOSPC/)
  expect(stderr).toMatch(/exit 2\n$/)
  expect(stderr).not.toContain('    at ')
})
