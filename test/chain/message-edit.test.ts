// Edits of messages: what the model sees changes, the chain does not.

import { expect, test } from 'vitest'
import { LiveProjection, type LogProjection, projectLog } from '../../lib/chain/index.js'
import { play } from './notation.js'
import { readForward } from './reading.js'

const shown = ({ projection }: Pick<LogProjection, 'projection'>) => textsOf(projection.entries)

function textsOf(entries: LogProjection['projection']['entries']): unknown[] {
  return entries.map((entry) => {
    if (entry.kind === 'summary') return entry.text
    if (entry.kind !== 'event') return entry.kind
    return (entry.event.payload as { content?: unknown }).content
  })
}

test('the last edit of a message counts, and null removes it', () => {
  const history = play(['m 1 2 3'])
  history.edit('2', { content: 'first' }).edit('2', { content: 'second' }).edit('1', null)
  const log = readForward(history)
  expect(shown(log)).toEqual(['second', 'says 3'])
  expect(log.walk.findings).toEqual([])
  expect(log.projection).toMatchObject({ degraded: false, diagnostics: [] })
  expect(log.path.map(({ event }) => event.uuid).slice(-3)).toEqual(['1', '2', '3'])
  history.edit('1', { content: 'back again' })
  expect(shown(readForward(history))).toEqual(['back again', 'second', 'says 3'])
})

test('an edit applies to messages before it only, and an invalid one has no effect', () => {
  const history = play(['m 1'])
  history.edit('2', { content: 'too early' })
  for (const payload of ['text', 7, undefined, [1]]) history.edit('1', payload)
  play(['m 2'], history)
  expect(shown(readForward(history))).toEqual(['says 1', 'says 2'])
})

test('a removed message can still be the head or the tail of what a boundary keeps', () => {
  const history = play(['m 1 2 3 4', 'compact S keep 2..4'])
  history.edit('2', null).edit('4', null)
  const { projection } = readForward(history)
  expect(textsOf(projection.entries)).toEqual(['sums up S', 'says 3'])
  expect(projection).toMatchObject({ degraded: false, diagnostics: [], compactedCount: 2 })
})

test('an edit after a boundary changes a message that the boundary kept', () => {
  const history = play(['m 1 2 3', 'compact S keep 3..3', 'm 4'])
  history.edit('3', { content: 'changed' }).edit('1', { content: 'not shown anyway' })
  expect(shown(readForward(history))).toEqual(['sums up S', 'changed', 'says 4'])
})

test('a projection of an earlier event has later edits, unless it is asked for as it was then', () => {
  const history = play(['m 1 2'])
  history.edit('1', { content: 'later' })
  play(['m 3'], history)
  history.edit('2', { content: 'much later' })
  expect(shown(readForward(history, undefined, '2'))).toEqual(['later', 'much later'])
  const then = projectLog(history.lines, { file: history.file, at: '2', revisions: 'then' })
  expect(shown(then)).toEqual(['later', 'says 2'])
})

test('a projection that is advanced applies an edit at once', () => {
  const history = play(['m 1 2'])
  const live = new LiveProjection({ file: history.file })
  for (const line of history.lines) live.push(line)
  history.edit('1', null)
  expect(live.push(history.lines.at(-1)!)).toBe(true)
  expect(textsOf(live.entries)).toEqual(['says 2'])
  history.edit('1', { content: 'shown again' })
  live.push(history.lines.at(-1)!)
  expect(textsOf(live.entries)).toEqual(['shown again', 'says 2'])
})
