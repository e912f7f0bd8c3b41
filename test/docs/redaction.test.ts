// The commands of docs/REDACTION.md for a post-mortem, run as written.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BINARY } from '../cli/command-line.js'
import { newPlace, storeSession } from '../cli/stored.js'

const PAGE = readFileSync(new URL('../../docs/REDACTION.md', import.meta.url), 'utf8')
const SECRET = `sk-ant-api03-${'a1B2'.repeat(12)}`

// Requirement: 003-84
test('the files that docs/REDACTION.md says to share after an incident contain no secret', async (t) => {
  const section = PAGE.split('\n## For a post-mortem\n')[1] ?? ''
  const script = /```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? ''
  const place = newPlace(t)
  await storeSession(place, 'demo', {
    said: [['user', 'u1', `the deploy failed with the key ${SECRET} in its log`]],
  })
  const bin = join(place.root, 'bin')
  const copies = join(place.root, 'copies')
  mkdirSync(bin)
  mkdirSync(copies)
  symlinkSync(BINARY, join(bin, 'jsonl-session'))
  const env = { PATH: `${bin}:${process.env['PATH']}`, JSONL_SESSION_ROOT: place.root }
  execFileSync('sh', ['-e', '-c', script], { cwd: copies, env })
  const texts = readdirSync(copies).map((name) => readFileSync(join(copies, name), 'utf8'))
  expect(texts).toHaveLength(2)
  for (const text of texts) {
    expect(text).toContain('[REDACTED]')
    expect(text).not.toContain(SECRET)
  }
})
