// By system calls: logs are opened for appending and written at their end, and are never truncated,
// overwritten, moved or removed.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'

const hasStrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0
const note = hasStrace ? '' : ' [skipped: no strace here]'
const AUDITED = fileURLToPath(new URL('children/audit.mjs', import.meta.url))

// `-y` names the files behind descriptors, so a call on a log shows its path.
const CALLS =
  'trace=/^(open|creat|write|pwrite|writev|truncate|ftruncate|fallocate|rename|unlink|link|mmap)'
const LOG = /\.jsonl[">]/

const FORBIDDEN: readonly { readonly what: string; readonly isIn: (call: string) => boolean }[] = [
  { what: 'cut', isIn: (call) => /^f?truncate|^creat|O_TRUNC|^fallocate/.test(call) },
  { what: 'written at a place', isIn: (call) => /^pwrite/.test(call) },
  {
    what: 'opened for writing, but not for appending',
    isIn: (call) => /O_(WRONLY|RDWR)/.test(call) && !call.includes('O_APPEND'),
  },
  { what: 'moved or removed', isIn: (call) => /^(rename|unlink)/.test(call) },
  { what: 'mapped for writing', isIn: (call) => /^mmap.*PROT_WRITE/.test(call) },
]

// Requirement: 003-64
test.skipIf(!hasStrace)(
  `a store only ever appends to its logs, as its system calls show${note}`,
  (t) => {
    const folder = temporaryFolder(t)
    const trace = join(folder, 'trace')
    const root = join(folder, 'store')
    const args = ['-f', '-y', '-s', '0', '-e', CALLS, '-o', trace, process.execPath, AUDITED, root]
    const { status, stderr } = spawnSync('strace', args, { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const calls = readFileSync(trace, 'utf8')
      .split('\n')
      .map((line) => line.replace(/^\d+\s+/, ''))
      .filter((call) => call.includes(root) && LOG.test(call))
    const appends = calls.filter((call) => call.startsWith('write('))
    expect(appends.length).toBeGreaterThan(15)
    const violations = FORBIDDEN.flatMap(({ what, isIn }) =>
      calls.filter(isIn).map((call) => `${what}: ${call}`),
    )
    expect(violations).toEqual([])
    expect(readdirSync(join(root, '.transcripts')).length).toBeGreaterThanOrEqual(3)
  },
)
