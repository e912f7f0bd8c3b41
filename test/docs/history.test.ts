// How long prompts are kept is a promise to their owner, so the page is compared with the code.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DIAGNOSTIC_SEVERITY } from '../../lib/format/index.js'
import { HISTORY_LIMITS } from '../../lib/store/index.js'

const page = readFileSync(new URL('../../docs/HISTORY.md', import.meta.url), 'utf8')
const policy = page.split('\n## What is kept\n')[1]?.split('\n## ')[0] ?? ''

// Requirement: 003-75
test('docs/HISTORY.md states what is kept, with the limits of the code', () => {
  const { bytes, entries } = HISTORY_LIMITS
  expect(policy).toContain(`${bytes / 1024 / 1024} MiB or ${entries.toLocaleString('en')} prompts`)
  expect(policy).toContain('`history.jsonl.1`')
  expect(policy).toMatch(/once in a calendar month/)
  expect(policy).toContain('`history sweep --apply`')
  expect(policy).toContain('`HISTORY_RETAIN_DAYS=30`')
  expect(policy).toContain('0600')
  const [, warning = ''] = /once,? as `(\w+)`/.exec(policy.replaceAll('\n', ' ')) ?? []
  expect(Object.keys(DIAGNOSTIC_SEVERITY)).toContain(warning)
})
