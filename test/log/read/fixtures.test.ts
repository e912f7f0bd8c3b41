// Every fixture says what a reader yields for it, and every reader is asked.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { LogEntry } from '../../../lib/log/entry.js'
import {
  readLog,
  readLogBackward,
  readLogBackwardSync,
  readLogSync,
} from '../../../lib/log/read/read-log.js'
import { collect } from '../../helpers/collect.js'

const root = fileURLToPath(new URL('../../../fixtures/v1', import.meta.url))
const readme = readFileSync(join(root, '../README.md'), 'utf8')

for (const name of readdirSync(root)) {
  const path = join(root, name, 'session.jsonl')
  const { entries } = JSON.parse(readFileSync(join(root, name, 'expected.json'), 'utf8'))

  // Requirements: T11, 003-38, 003-64
  test(`the fixture ${name} is read as it says`, async () => {
    expect([...readLogSync(path)].map(shown)).toEqual(entries)
    expect((await collect(readLog(path))).map(shown)).toEqual(entries)
    for (const chunkBytes of [16, 100, 4096]) {
      expect([...readLogSync(path, { sizes: { chunkBytes } })].map(shown)).toEqual(entries)
    }
  })

  test(`the fixture ${name} is read backwards as it says`, async () => {
    const reversed = entries.map(withoutLineNumber).reverse()
    expect([...readLogBackwardSync(path)].map(shown)).toEqual(reversed)
    expect((await collect(readLogBackward(path))).map(shown)).toEqual(reversed)
    for (const chunkBytes of [16, 100, 4096]) {
      expect([...readLogBackwardSync(path, { sizes: { chunkBytes } })].map(shown)).toEqual(reversed)
    }
  })

  test(`the fixture ${name} has its line in the README`, () => {
    expect(readme).toContain(`| \`v1/${name}\` |`)
  })
}

function shown(entry: LogEntry): object {
  const { kind, byte_offset, length, line_number, diagnostics = [] } = entry
  return {
    kind,
    byte_offset,
    length,
    ...(line_number === undefined ? {} : { line_number }),
    ...(entry.kind === 'event' ? { uuid: entry.event.uuid } : { reason: entry.reason }),
    ...(entry.kind === 'event' && entry.unverified ? { unverified: true } : {}),
    codes: diagnostics.map(({ code }) => code),
  }
}

function withoutLineNumber({ line_number: _, ...entry }: { line_number: number }): object {
  return entry
}
