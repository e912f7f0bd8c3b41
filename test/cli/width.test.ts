// How wide the output is, on a real terminal.

import { expect, test } from 'vitest'
import { columnsOf, helpColumnsOf, rowsOf } from '../../lib/cli/output/terminal-size.js'
import { newPlace, storeSession } from './stored.js'
import { hasTerminals, playTerminal } from './terminal.js'

test.runIf(hasTerminals)(
  'list fits into 140 columns, into COLUMNS, and into a terminal of width 0',
  async (t) => {
    const place = newPlace(t)
    const title = 'a title of many words '.repeat(9)
    await storeSession(place, 'demo', { said: [['user', 'u1', title]] })
    const widthOf = async (columns: number, env = {}) => {
      const { seen } = await playTerminal(['list', '--no-color', '--no-pager'], place, {
        columns,
        env,
      })
      expect(seen).toContain('SESSION')
      return Math.max(...seen.split(/\r?\n/).map((row) => row.length))
    }
    const widths = await Promise.all([widthOf(140), widthOf(0), widthOf(140, { COLUMNS: '100' })])
    expect(widths.map((width) => width > 60)).toEqual([true, true, true])
    expect(widths[0]).toBeLessThanOrEqual(140)
    expect(widths[1]).toBeLessThanOrEqual(80)
    expect(widths[2]).toBeLessThanOrEqual(100)
  },
)

const CONTROL = /\u001b(?:\[[0-9;?]*[A-Za-z]|\][^\u0007]*\u0007)/g

// A screen that is drawn again begins at its first row.
const rowsSeen = (seen: string) =>
  seen
    .replaceAll('\u001b[H', '\n')
    .replaceAll(CONTROL, '')
    .split(/[\r\n]+/)

test.runIf(hasTerminals).for([80, 140])(
  'view and tail -f use a terminal of %i columns, and no more',
  async (columns, t) => {
    const place = newPlace(t)
    await storeSession(place, 'demo', { said: [['user', 'u1', 'many words '.repeat(60)]] })
    const env = { NO_COLOR: '1' }
    const viewed = await playTerminal(['view', 'demo'], place, {
      columns,
      env,
      steps: [
        { wait: 'words', send: '\r' },
        { wait: 'words', send: 'q' },
      ],
    })
    const followed = await playTerminal(['tail', 'demo', '-f'], place, {
      columns,
      env,
      steps: [{ wait: 'words', signal: 'SIGINT' }],
    })
    for (const { seen, exitCode, stepsLeft } of [viewed, followed]) {
      expect({ exitCode, stepsLeft }).toEqual({ exitCode: 0, stepsLeft: 0 })
      const widths = rowsSeen(seen)
        .filter((row) => row.includes('many words'))
        .map((row) => row.length)
      expect(Math.max(...widths)).toBeLessThanOrEqual(columns)
      expect(Math.max(...widths)).toBeGreaterThan(columns - 15)
    }
  },
)

test('a size that is no positive number counts as unknown', () => {
  for (const COLUMNS of ['', '0', '-3', 'wide', '1.5']) {
    expect(columnsOf({ columns: 120 }, { COLUMNS })).toBe(120)
    expect(columnsOf({ columns: 0 }, { COLUMNS })).toBe(80)
  }
  expect(columnsOf({}, { COLUMNS: '33' })).toBe(33)
  expect([rowsOf({ rows: 0 }, {}), rowsOf({ rows: 9 }, {}), rowsOf({}, { LINES: '7' })]).toEqual([
    24, 9, 7,
  ])
})

test('a help in a pipe is as wide as COLUMNS says, if that is set', () => {
  const pipe = { isTTY: false, columns: 0 } as unknown as NodeJS.WriteStream
  expect(helpColumnsOf(pipe, {})).toBeUndefined()
  expect(helpColumnsOf(pipe, { COLUMNS: '50' })).toBe(50)
})
