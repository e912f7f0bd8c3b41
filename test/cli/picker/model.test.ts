import picocolors from 'picocolors'
import { expect, test } from 'vitest'
import { widthOfText } from '../../../lib/cli/output/plain-text.js'
import {
  addMatches,
  applyChange,
  type PickRules,
  type PickState,
  pressKey,
  selectedOf,
  startPicking,
  toChoice,
} from '../../../lib/cli/picker/model.js'
import { screenOf } from '../../../lib/cli/picker/screen.js'
import type { Key } from '../../../lib/cli/terminal/take-terminal.js'

type Row = Parameters<typeof toChoice>[0]

const CHOICES: readonly Row[] = [
  { id: 'aa11', title: 'Fix the parser', about: 'just now, compiler' },
  { id: 'bb22', title: 'Audit trunk ports', about: 'yesterday, network' },
  { id: 'cc33', title: 'Parse the flags 日本語', about: '3 days ago, cli' },
]

function typed(text: string): Key[] {
  return [...text].map((sequence) => ({ sequence, name: sequence }))
}

function after(keys: readonly Key[], choices = CHOICES, rules: PickRules = {}): PickState {
  return keys.reduce(pressKey, startPicking(choices.map(toChoice), rules))
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

const ALL = { hasActions: true }
const rename = { name: 'r', ctrl: true }
const fork = { name: 'f', ctrl: true }
const trash = { name: 'x', ctrl: true }
const enter = { name: 'return' }

test('Ctrl-R edits the title of the selected one, and Enter asks for the rename', () => {
  const edited = after([rename, { name: 'u', ctrl: true }, ...typed('New title ')], CHOICES, ALL)
  expect(edited.asked).toEqual({ kind: 'rename', text: 'New title ' })
  const { action, asked, query } = pressKey(edited, enter)
  expect(action).toMatchObject({ kind: 'rename', title: 'New title', choice: { id: 'aa11' } })
  expect({ asked, query }).toEqual({ asked: undefined, query: '' })
  expect(pressKey(edited, { name: 'escape' })).toMatchObject({ asked: undefined, outcome: 'open' })
  const emptied = after([rename, { name: 'u', ctrl: true }, enter], CHOICES, ALL)
  expect(emptied).toMatchObject({ asked: { text: '' }, outcome: 'open' })
  expect(emptied.action).toBeUndefined()
})

test.each([
  ['fork', fork],
  ['trash', trash],
] as const)('%s is done after y, and after no other key', (kind, key) => {
  const asked = after([{ name: 'down' }, key], CHOICES, ALL)
  expect(asked.action).toBeUndefined()
  const yes = pressKey(asked, { name: 'y', sequence: 'y' })
  expect(yes.action).toMatchObject({ kind, choice: { id: 'bb22' } })
  for (const other of [enter, { name: 'escape' }, { name: 'n', sequence: 'n' }]) {
    const no = pressKey(asked, other)
    expect(no).toMatchObject({ outcome: 'open', asked: undefined })
    expect(no.action).toBeUndefined()
  }
  expect(pressKey(asked, { name: 'c', ctrl: true }).outcome).toBe('cancelled')
})

test('without actions, and without a match, the keys of actions change nothing', () => {
  for (const key of [rename, fork, trash]) {
    const state = after([])
    expect(pressKey(state, key)).toBe(state)
    const none = after(typed('zzz'), CHOICES, ALL)
    expect(pressKey(none, key)).toBe(none)
  }
})

test('where a title is asked for, Enter opens it and the second Enter takes both', () => {
  const state = after([enter, ...typed('!'), enter], CHOICES, { asksTitle: true })
  expect(state).toMatchObject({ outcome: 'taken', action: { title: 'Fix the parser!' } })
  expect(selectedOf(state)?.id).toBe('aa11')
})

test('an action changes the list, and the selection stays on a row', () => {
  const state = after([...typed('e'), { name: 'end' }], CHOICES, ALL)
  const last = selectedOf(state)!
  const removed = applyChange(state, { note: 'gone', removed: last.id })
  expect(idsOf(removed)).not.toContain(last.id)
  expect(removed.choices.map(({ id }) => id)).not.toContain(last.id)
  expect(selectedOf(removed)).toBeDefined()
  const added = toChoice({ id: 'dd44', title: 'Fix the parser', about: 'just now' })
  expect(selectedOf(applyChange(state, { note: '', added }))?.id).toBe('dd44')
  const replaced = toChoice({ id: 'aa11', title: 'Other', about: '' })
  expect(applyChange(after([]), { note: '', replaced }).matches[0]?.title).toBe('Other')
})

test('prompts that were read later add matches after those that the rows show', () => {
  const state = after(typed('fix'))
  const [, ports] = state.choices
  ports!.search.prompts = 'please fix the vlan\n'
  const more = addMatches(state, [ports!])
  expect(idsOf(more)).toEqual(['aa11', 'bb22'])
  expect(addMatches(state, state.matches)).toBe(state)
  expect(idsOf(pressKey(more, { name: 'space', sequence: ' ' }))).toEqual(['aa11', 'bb22'])
  expect(idsOf([...typed(' vlan')].reduce(pressKey, more))).toEqual(['bb22'])
})

test('a question and a note take the place of the help, within 80 and 140 columns', () => {
  const long = [{ id: 'x', title: 'a very long title '.repeat(20), about: '' }]
  for (const columns of [80, 140]) {
    const shape = { rows: 24, columns, colors: plain }
    const bottom = (state: PickState) => screenOf(state, [], shape).at(-1)!
    expect(bottom(after([], long, ALL))).toContain(
      'Enter select · Esc cancel · ↑ ↓ move · ^R rename',
    )
    expect(bottom(after([trash], long, ALL))).toMatch(
      /^Move ".*…" to the trash\? {2}y yes · any other/,
    )
    expect(bottom(after([fork], long, ALL))).toMatch(/^Fork ".*…"\? {2}y yes · any other key no$/)
    expect(bottom(after([rename], long, ALL))).toMatch(/title ▏ {2}Enter rename · Esc back$/)
    const note = applyChange(after([], long, ALL), { note: 'Renamed: \x1b[2Jx' })
    expect(bottom(note)).not.toContain('\x1b')
    for (const state of [after([trash], long, ALL), after([rename], long, ALL), note]) {
      expect(widthOfText(bottom(state))).toBeLessThanOrEqual(columns)
    }
  }
})

// A key press must not cost more when the list is long.
test('a key on a list of 20,000 formats only the rows of the screen', () => {
  let formatted = 0
  let searched = 0
  const rows = Array.from({ length: 20_000 }, (_, index) => {
    const title = `Topic ${index % 100} of ${index}`
    const { search, ...choice } = toChoice({ id: `id${index}`, title, about: '' })
    return {
      ...choice,
      get title() {
        formatted++
        return title
      },
      get search() {
        searched++
        return search
      },
    }
  })
  const shape = { rows: 24, columns: 80, colors: plain }
  let state = startPicking(rows)
  const press = (key: Key) => {
    formatted = 0
    searched = 0
    state = pressKey(state, key)
    screenOf(state, [], shape)
    expect(formatted).toBeLessThanOrEqual(shape.rows)
  }
  for (const name of ['down', 'end', 'pageup', 'home']) {
    press({ name })
    expect(searched).toBe(0)
  }
  for (const key of typed('topic 77')) {
    const { length } = state.left
    press(key)
    // Each letter looks only at what was left before it.
    expect(searched).toBe(length)
  }
  expect(state.left.length).toBeLessThan(20_000)
  expect(state.matches.length).toBeGreaterThanOrEqual(200)
})
