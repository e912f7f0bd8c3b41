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
