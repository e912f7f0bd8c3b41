// Messages that an edit of pi left out or replaced, for as long as the edit is on the branch.

import { expect, it } from 'vitest'
import {
  importValues,
  projectEvents,
  shownTexts,
  shownUuids,
} from '../../contracts/foreign-files.js'

const HEAD = { type: 'session', version: 3, id: 's', timestamp: '2026-01-31T12:00:00.000Z' }

/** Entries in a row, each the child of the one before unless it names another parent. */
function importRow(...entries: readonly { readonly id: string }[]) {
  const row = entries.map((entry, index) => ({
    parentId: entries[index - 1]?.id ?? null,
    timestamp: HEAD.timestamp,
    ...entry,
  }))
  const made = importValues('pi', [HEAD, ...row])
  const log = projectEvents(made.events)
  expect(log.projection.degraded).toBe(false)
  return { ...made, shown: shownUuids(log), texts: shownTexts(log) }
}

const message = (id: string, role: string, more: object = {}) => {
  const content = [{ type: 'text', text: id }]
  return { id, type: 'message', message: { role, content }, ...more }
}
const user = (id: string, more: object = {}) => message(id, 'user', more)
const edit = (id: string, targetId: string, replacement: unknown) => ({
  id,
  type: 'context_edit',
  targetId,
  replacement,
})

it('a message that was left out is not shown, and stays in the log', () => {
  const { shown, events } = importRow(user('u1'), user('u2'), edit('e1', 'u1', null), user('u3'))
  expect(shown).toEqual(['u2', 'u3'])
  expect(events.map(({ type }) => type)).toContain('pi:context_edit')
  expect(events.some(({ uuid, type }) => uuid === 'u1' && type === 'user')).toBe(true)
})

it('the newest edit of a message counts', () => {
  const { texts } = importRow(
    user('u1'),
    edit('e1', 'u1', null),
    edit('e2', 'u1', { content: 'said differently' }),
  )
  expect(texts).toEqual(['said differently'])
})

it('messages, replies, results and messages of extensions can be replaced', () => {
  const note = { id: 'n1', type: 'custom_message', content: 'n1', customType: 'x' }
  const { texts } = importRow(
    user('u1'),
    message('a1', 'assistant'),
    note,
    ...['u1', 'a1', 'n1'].map((id) => edit(`e-${id}`, id, { content: `new ${id}` })),
  )
  expect(texts).toEqual(['new u1', 'new a1', 'new n1'])
})

it('on a branch that was left before the edit, the message is as it was', () => {
  const { texts } = importRow(
    user('u1'),
    user('u2'),
    edit('e1', 'u1', null),
    edit('e2', 'u2', { content: 'new u2' }),
    user('u3', { parentId: 'u2' }),
  )
  expect(texts).toEqual(['u1', 'u2', 'u3'])
})

it('back on the branch of the edit, the edit counts again', () => {
  const { texts } = importRow(
    user('u1'),
    user('u2'),
    edit('e1', 'u1', { content: 'new u1' }),
    user('u3', { parentId: 'u2' }),
    user('u4', { parentId: 'e1' }),
  )
  expect(texts).toEqual(['new u1', 'u2', 'u4'])
})

it('the events of a shorter file are the first events of the longer one', () => {
  const row = [
    user('u1'),
    user('u2'),
    edit('e1', 'u1', null),
    user('u3', { parentId: 'u2' }),
    user('u4', { parentId: 'e1' }),
  ]
  const { events } = importRow(...row)
  for (let length = 1; length < row.length; length++) {
    const shorter = importRow(...row.slice(0, length)).events
    expect(events.slice(0, shorter.length)).toEqual(shorter)
  }
})

it('an edit of an entry that is missing or never sent changes nothing', () => {
  const { shown, events } = importRow(
    user('u1'),
    { id: 'l1', type: 'label', targetId: 'u1', label: 'x' } as { id: string },
    edit('e1', 'nowhere', null),
    edit('e2', 'l1', null),
  )
  expect(shown).toEqual(['u1'])
  expect(events.some(({ type }) => type === 'message_edit')).toBe(false)
})

it('changes of the prompt that a compaction keeps are part of its prompt', () => {
  const prompt = (id: string) => ({
    id,
    type: 'message',
    message: { role: 'system', content: '', sections: { rules: id } },
  })
  const compaction = {
    id: 'c1',
    type: 'compaction',
    summary: 'before',
    firstKeptEntryId: 'u2',
    systemMessage: { role: 'system', content: 'all rules' },
  }
  const before = [prompt('s1'), user('u1'), user('u2'), prompt('s2'), user('u3')]
  const { shown } = importRow(...before, compaction, user('u4'))
  expect(shown).toEqual(['c1~system', 'c1~summary', 'u2', 'u3', 'u4'])
  const left = importRow(...before, compaction, user('u4', { parentId: 'u3' }))
  expect(left.shown).toEqual(['s1', 'u1', 'u2', 's2', 'u3', 'u4'])
  expect(left.texts[3]).toBe('Updated system prompt section "rules":\n\ns2')
})
