// What a compaction of pi leaves: the prompt, the summary and what was kept, in this order.

import { expect, it } from 'vitest'
import { importValues, projectEvents, shownUuids } from '../../contracts/foreign-files.js'

const HEAD = { type: 'session', version: 3, id: 's', timestamp: '2026-01-31T12:00:00.000Z' }

/** Entries in a row, each the child of the one before. */
function importRow(...entries: readonly { readonly id: string }[]) {
  const row = entries.map((entry, index) => ({
    parentId: entries[index - 1]?.id ?? null,
    timestamp: HEAD.timestamp,
    ...entry,
  }))
  const made = importValues('pi', [HEAD, ...row])
  const { projection } = projectEvents(made.events)
  expect(projection.degraded).toBe(false)
  return { ...made, shown: shownUuids(projectEvents(made.events)) }
}

const user = (id: string) => ({ id, type: 'message', message: { role: 'user', content: id } })
const prompt = (id: string) => ({
  id,
  type: 'message',
  message: { role: 'system', content: '', sections: { rules: id } },
})
const compaction = (id: string, firstKeptEntryId: string | undefined, more: object = {}) => {
  const systemMessage = { role: 'system', content: '', sections: { rules: `rules of ${id}` } }
  const summary = `summary of ${id}`
  return { id, type: 'compaction', summary, firstKeptEntryId, systemMessage, ...more }
}

it('the prompt is shown before the summary, and what was kept after it', () => {
  const { shown, losses, events } = importRow(
    prompt('s1'),
    user('u1'),
    user('u2'),
    compaction('c1', 'u2'),
    user('u3'),
  )
  expect(shown).toEqual(['c1~system', 'c1~summary', 'u2', 'u3'])
  expect(losses.repaired).toEqual({})
  expect(events.find(({ uuid }) => uuid === 'c1~system')?.payload['content']).toBe('rules of c1')
})

it('a compaction that names itself keeps nothing, and that is no repair', () => {
  const { shown, losses } = importRow(prompt('s1'), user('u1'), compaction('c1', 'c1'), user('u2'))
  expect(shown).toEqual(['c1~system', 'c1~summary', 'u2'])
  expect(losses.repaired).toEqual({})
})

it('a second compaction keeps what the first one kept, or only what came later', () => {
  const before = [prompt('s1'), user('u1'), user('u2'), user('u3'), compaction('c1', 'u2')]
  const cases = [
    ['u2', ['u2', 'u3', 'u4']],
    ['u3', ['u3', 'u4']],
    ['u4', ['u4']],
  ] as const
  for (const [first, kept] of cases) {
    const { shown } = importRow(...before, user('u4'), compaction('c2', first), user('u5'))
    expect(shown).toEqual(['c2~system', 'c2~summary', ...kept, 'u5'])
  }
})

it('a compaction after one that kept nothing keeps what came in between', () => {
  const { shown } = importRow(
    prompt('s1'),
    user('u1'),
    compaction('c1', 'c1'),
    user('u2'),
    compaction('c2', 'u2'),
  )
  expect(shown).toEqual(['c2~system', 'c2~summary', 'u2'])
})

it('what an earlier compaction left out cannot be kept, and that is reported', () => {
  const { shown, losses } = importRow(
    prompt('s1'),
    user('u1'),
    user('u2'),
    compaction('c1', 'u2'),
    user('u3'),
    compaction('c2', 'u1'),
  )
  expect(shown).toEqual(['c2~system', 'c2~summary', 'u2', 'u3'])
  expect(losses.repaired).toEqual({ kept_missing: 1 })
})

it('a compaction without a summary shows the prompt and what was kept', () => {
  const { shown, losses } = importRow(
    prompt('s1'),
    user('u1'),
    user('u2'),
    compaction('c1', 'u2', { summary: '' }),
    user('u3'),
    compaction('c2', 'u2'),
  )
  expect(shown).toEqual(['c2~system', 'c2~summary', 'u2', 'u3'])
  expect(losses.repaired).toEqual({ summary_missing: 1 })
})

it('a session that was begun by an older pi has no prompt before what is kept', () => {
  const { shown } = importRow(user('u1'), compaction('c1', 'u1'), user('u2'))
  expect(shown).toEqual(['c1~summary', 'u1', 'c1~system', 'u2'])
})

it('an empty prompt is not shown', () => {
  const { shown } = importRow(
    user('u1'),
    user('u2'),
    compaction('c1', 'u2', { systemMessage: { role: 'system', content: '' } }),
  )
  expect(shown).toEqual(['c1~summary', 'u2'])
})
