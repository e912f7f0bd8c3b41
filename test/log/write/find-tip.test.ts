// A writer must continue from the event that every reader takes for the tip, whatever stands at the
// end of the file.

import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { linkOf, TipRule } from '../../../lib/format/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import { findTip } from '../../../lib/log/write/find-tip.js'
import { History } from '../../chain/history.js'
import { randomHistory, randomSteps } from '../../chain/random-history.js'
import { runs } from '../../helpers/effort.js'
import { temporaryFolder } from '../../helpers/temporary.js'

function tipOf(path: string, bytes: Buffer): string | null {
  writeFileSync(path, bytes)
  const fd = openSync(path, 'r')
  try {
    return findTip(
      { path, fd, size: bytes.length, fs: systemEnvironment.fs },
      64 * 1024,
      systemEnvironment,
    ).tip
  } finally {
    closeSync(fd)
  }
}

/** By the rule, over every line. */
function tipByRule(path: string): string | null {
  const seen = new Set<string>()
  const rule = new TipRule((uuid) => seen.has(uuid))
  for (const entry of readLogSync(path)) {
    if (entry.kind !== 'event') continue
    rule.take(linkOf(entry.event, entry.byte_offset))
    seen.add(entry.event.uuid)
  }
  return rule.tip
}

test('a copied block at the end does not become the tip', (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const history = new History().m('m1', 'm2', 'm3', 'm4', 'm5')
  const [, , second, third] = history.lines
  expect(tipOf(path, Buffer.concat([history.bytes, second!.bytes, third!.bytes]))).toBe('m5')
})

test('the tip is the one of the rule on every history', (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const property = fc.property(randomSteps(30), (steps) => {
    expect(tipOf(path, randomHistory(steps).bytes)).toBe(tipByRule(path))
  })
  fc.assert(property, { numRuns: runs(500) })
})

test('a long log is asked at its end, and only where that is in doubt as a whole', (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const history = new History()
  const content = 'x'.repeat(4000)
  for (let index = 0; index < 300; index++) {
    history.add({ type: 'user', uuid: `m${index}`, payload: { content } })
  }
  expect(tipOf(path, history.bytes)).toBe('m299')
  const copied = history.lines.slice(100, 110).map(({ bytes }) => bytes)
  expect(tipOf(path, Buffer.concat([history.bytes, ...copied]))).toBe('m299')
})
