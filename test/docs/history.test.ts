// How long prompts are kept is a promise to their owner, so the page is held to what the code does.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DIAGNOSTIC_SEVERITY } from '../../lib/format/index.js'
import { HISTORY_LIMITS } from '../../lib/store/index.js'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const [, section = ''] = readme.split('## Prompt history\n')
const policy = section.split('\n## ')[0]!.split('**What is kept.**')[1] ?? ''

test('the README tells what is kept of the history, with the limits of the code (003-75)', () => {
  const { bytes, entries } = HISTORY_LIMITS
  expect(policy).toContain(`${bytes / 1024 / 1024} MiB or ${entries.toLocaleString('en')} prompts`)
  expect(policy).toContain('`history.jsonl.1`')
  expect(policy).toMatch(/once in a calendar month/)
  expect(policy).toContain('`history sweep --apply`')
  expect(policy).toContain('`HISTORY_RETAIN_DAYS=30`')
  expect(policy).toContain('0600')
  const [, warning = ''] = /once, as `(\w+)`/.exec(policy) ?? []
  expect(Object.keys(DIAGNOSTIC_SEVERITY)).toContain(warning)
})
