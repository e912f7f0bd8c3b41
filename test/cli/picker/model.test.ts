import picocolors from 'picocolors'
import { expect, test } from 'vitest'
import { widthOfText } from '../../../lib/cli/output/plain-text.js'
import {
  type Choice,
  type PickState,
  pressKey,
  selectedOf,
  startPicking,
} from '../../../lib/cli/picker/model.js'
import { screenOf } from '../../../lib/cli/picker/terminal.js'
import type { Key } from '../../../lib/cli/terminal/take-terminal.js'

const CHOICES: readonly Choice[] = [
  { id: 'aa11', title: 'Fix the parser', about: 'just now, compiler' },
  { id: 'bb22', title: 'Audit trunk ports', about: 'yesterday, network' },
  { id: 'cc33', title: 'Parse the flags 日本語', about: '3 days ago, cli' },
]

function typed(text: string): Key[] {
  return [...text].map((sequence) => ({ sequence, name: sequence }))
}

function after(keys: readonly Key[], choices = CHOICES): PickState {
  return keys.reduce(pressKey, startPicking(choices))
}

const idsOf = ({ matches }: PickState) => matches.map(({ id }) => id)
const plain = picocolors.createColors(false)

test('without a word all are there, in their order, and the first is selected', () => {
  const state = after([])
  expect(idsOf(state)).toEqual(['aa11', 'bb22', 'cc33'])
  expect(selectedOf(state)?.id).toBe('aa11')
})

test('arrows and ctrl-n, ctrl-p move, and stop at both ends', () => {
  expect(selectedOf(after([{ name: 'up' }]))?.id).toBe('aa11')
  expect(selectedOf(after([{ name: 'down' }]))?.id).toBe('bb22')
  const next = { name: 'n', ctrl: true }
  const previous = { name: 'p', ctrl: true }
  expect(selectedOf(after([next, next, next, next]))?.id).toBe('cc33')
  expect(selectedOf(after([next, next, previous]))?.id).toBe('bb22')
  expect(selectedOf(after([{ name: 'end' }]))?.id).toBe('cc33')
  expect(selectedOf(after([{ name: 'end' }, { name: 'pageup' }]))?.id).toBe('aa11')
  expect(selectedOf(after([{ name: 'pagedown' }]))?.id).toBe('cc33')
  expect(selectedOf(after([{ name: 'end' }, { name: 'home' }]))?.id).toBe('aa11')
})

test('letters filter: in a row first, scattered after, each word for itself', () => {
  expect(idsOf(after(typed('parse')))).toEqual(['cc33', 'aa11'])
  expect(idsOf(after(typed('ports net')))).toEqual(['bb22'])
  expect(idsOf(after(typed('atp')))).toEqual(['bb22'])
  expect(idsOf(after(typed('CC3')))).toEqual(['cc33'])
  expect(idsOf(after(typed('zzz')))).toEqual([])
})

test('scattered letters match a title, and not an id, a date or a folder', () => {
  const about = '2026-01-01, jsonl-session-xPbA12, crashed'
  const id = '0p1a2r3s'
  const choices = [
    { id, title: 'Audit trunk ports', about },
    { id: 'other', title: 'Put all rows somewhere', about },
  ]
  expect(idsOf(after(typed('pars'), choices))).toEqual(['other'])
  expect(idsOf(after(typed('pba1 crash'), choices))).toEqual([id, 'other'])
  expect(idsOf(after(typed('1a2r'), choices))).toEqual([id])
})

test('letters are deleted one by one, by words, or all', () => {
  const query = (keys: Key[]) => after([...typed('fix 日本'), ...keys]).query
  expect(query([{ name: 'backspace' }])).toBe('fix 日')
  expect(query([{ name: 'w', ctrl: true }])).toBe('fix ')
  expect(query([{ name: 'u', ctrl: true }])).toBe('')
})

test('Enter takes the selection, and nothing without a match', () => {
  expect(after([{ name: 'return' }]).outcome).toBe('taken')
  expect(after([...typed('zzz'), { name: 'return' }]).outcome).toBe('open')
  expect(after([{ name: 'escape' }]).outcome).toBe('cancelled')
  expect(after([{ name: 'c', ctrl: true }]).outcome).toBe('cancelled')
})

test('keys without a meaning change nothing', () => {
  const state = after(typed('fix'))
  for (const key of [{ name: 'f5' }, { name: 'x', meta: true, sequence: '\x1bx' }, {}]) {
    expect(pressKey(state, key)).toEqual(state)
  }
})

test('the screen shows the query, the list and the last messages, within any size', () => {
  const preview = Array.from({ length: 50 }, (_, index) => `word ${index} 日本語`.repeat(9))
  for (const [rows, columns] of [
    [24, 80],
    [6, 20],
    [3, 10],
    [1, 4],
  ] as const) {
    const lines = screenOf(after(typed('p')), preview, { rows, columns, colors: plain })
    expect(lines.length).toBeLessThanOrEqual(rows)
    for (const line of lines) expect(widthOfText(line)).toBeLessThanOrEqual(columns)
  }
  const lines = screenOf(after([{ name: 'down' }]), ['User: hi'], {
    rows: 24,
    columns: 60,
    colors: plain,
  })
  expect(lines[0]).toContain('3 of 3')
  expect(lines.find((line) => line.startsWith('>') && line.includes('Audit'))).toBeDefined()
  expect(lines).toContain('User: hi')
})

test('the screen shows that nothing matches, and uses the id of a session without a title', () => {
  const size = { rows: 9, columns: 60, colors: plain }
  expect(screenOf(after(typed('zzz')), [], size).join('\n')).toContain('no match')
  const nameless = after([], [{ id: 'dd44', title: '', about: 'yesterday' }])
  expect(screenOf(nameless, [], size).join('\n')).toMatch(/dd44.*yesterday/)
  // With nothing to take back, the same list stays.
  const state = after([])
  expect(pressKey(state, { name: 'backspace' })).toBe(state)
})

test('the selected one is on the screen, however long the list is', () => {
  const many = Array.from({ length: 500 }, (_, index) => ({
    id: `id${index}`,
    title: `Title ${index}.`,
    about: '',
  }))
  const down = Array.from({ length: 300 }, () => ({ name: 'down' }))
  const lines = screenOf(after(down, many), [], { rows: 12, columns: 40, colors: plain })
  expect(lines.some((line) => line.includes('Title 300.'))).toBe(true)
})

test('control characters in foreign text cannot move the cursor', () => {
  const choices = [{ id: 'x', title: '\x1b[2Jgone', about: '\x1b[31m' }]
  const lines = screenOf(after([], choices), [], { rows: 9, columns: 40, colors: plain })
  expect(lines.join('')).not.toContain('\x1b')
})
