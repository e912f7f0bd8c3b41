// Lines of Claude Code in any order, missing lines and repeated ones.

import { describe, expect, it } from 'vitest'
import { compaction, madeOf, reply, summary, textsOf, user } from './lines.js'

const talk = [
  user('u1', null, 'one'),
  reply('a1', 'u1', 'two'),
  user('u2', 'a1', 'three'),
  reply('a2', 'u2', 'four'),
]
const leaf = (leafUuid: string | null, more = {}) => ({ type: 'last-prompt', leafUuid, ...more })

describe('a line whose parent is written after it', () => {
  it('follows its parent', () => {
    const values = [leaf('a2'), ...talk.toReversed()]
    expect(textsOf(...values)).toEqual(['one', 'two', 'three', 'four'])
    expect(madeOf(...values).losses.repaired).toEqual({})
  })

  it('waits with all that follow it, in the order of the file', () => {
    const [first, ...rest] = talk
    expect(textsOf(...rest, first!, user('u3', 'a2', 'five'))).toEqual([
      ...['one', 'two', 'three', 'four', 'five'],
    ])
  })

  it('may be one of very many', () => {
    const count = 20_000
    const chain = Array.from({ length: count }, (_, index) =>
      user(`u${index}`, index === 0 ? null : `u${index - 1}`, `text ${index}`),
    )
    const texts = textsOf(leaf(`u${count - 1}`), ...chain.reverse())
    expect(texts).toHaveLength(count)
  })

  it('is kept where parents follow each other in a circle', () => {
    const circle = [user('c1', 'c2', 'round'), user('c2', 'c1', 'and round')]
    const { losses } = madeOf(...talk, ...circle)
    expect(textsOf(...talk, ...circle)).toEqual([
      ...['one', 'two', 'three', 'four', 'round', 'and round'],
    ])
    expect(losses.repaired).toEqual({ parent_missing: 1 })
  })
})

describe('a line whose parent is missing', () => {
  it('follows the line before it, and so does everything after it', () => {
    const cut = talk.filter(({ uuid }) => uuid !== 'a1')
    expect(textsOf(...cut)).toEqual(['one', 'three', 'four'])
    expect(madeOf(...cut).losses.repaired).toEqual({ parent_missing: 1 })
  })

  it('has the place of the other lines that follow the missing one', () => {
    const values = [talk[0]!, user('x1', 'gone', 'this'), user('x2', 'gone', 'that')]
    expect(textsOf(...values)).toEqual(['one', 'that'])
    expect(madeOf(...values).losses.repaired).toEqual({ parent_missing: 1 })
  })

  it('is not taken for one that follows a compaction', () => {
    const values = [
      ...talk,
      compaction('b1', {}),
      summary('s1', 'b1', 'Short.'),
      user('u3', 's1', 'five'),
      user('u4', 'gone', 'six'),
    ]
    expect(textsOf(...values)).toEqual(['Short.', 'five', 'six'])
    expect(madeOf(...values).losses.repaired).toEqual({ parent_missing: 1 })
  })

  it('follows the compaction that left its parent out', () => {
    const values = [
      ...talk,
      compaction('b1', {}),
      summary('s1', 'b1', 'Short.'),
      user('u3', 'a2', 'five'),
    ]
    expect(textsOf(...values)).toEqual(['Short.', 'five'])
    expect(madeOf(...values).losses.repaired).toEqual({})
  })
})

describe('a line that the file has twice', () => {
  it('is dropped if it is a copy', () => {
    const values = [...talk, talk[1]!, leaf('a2')]
    expect(madeOf(...values).losses.dropped).toEqual({ repeated_record: 1 })
    expect(textsOf(...values)).toEqual(['one', 'two', 'three', 'four'])
  })

  it('replaces the first one if it says something else', () => {
    const { losses, events } = madeOf(...talk, reply('a1', 'u1', 'changed'), leaf('a2'))
    expect(losses.dropped).toEqual({})
    expect(events.find(({ type }) => type === 'message_edit')).toMatchObject({
      prev_uuid: null,
      payload: { target_uuid: 'a1', payload: { content: 'changed' } },
    })
  })

  it('is dropped if it is no message', () => {
    const note = { type: 'system', uuid: 'x1', parentUuid: 'a2', content: 'one' }
    const { losses } = madeOf(...talk, note, { ...note, content: 'other' })
    expect(losses.dropped).toEqual({ repeated_record: 1 })
  })
})

describe('the leaf that Claude Code records', () => {
  const branch = user('u9', 'a1', 'elsewhere')

  it('stays the end when lines are added that do not follow it', () => {
    expect(textsOf(...talk, leaf('a2'), branch)).toEqual(['one', 'two', 'three', 'four'])
  })

  it('ends nothing when lines follow it', () => {
    expect(textsOf(...talk.slice(0, 2), leaf('a1'), ...talk.slice(2))).toHaveLength(4)
  })

  it('is the end if the user chose it, whatever follows it', () => {
    expect(textsOf(...talk, leaf('a1', { explicit: true }))).toEqual(['one', 'two'])
    const again = [leaf('a1', { explicit: true }), leaf('a1')]
    expect(textsOf(...talk, ...again)).toEqual(['one', 'two'])
    expect(textsOf(...talk, leaf('a1', { explicit: true }), leaf('a2'))).toHaveLength(4)
  })

  it('is nothing if the user chose so, until the next line', () => {
    const cleared = leaf(null, { explicit: true })
    expect(textsOf(...talk, cleared)).toEqual([])
    expect(textsOf(...talk, leaf(null))).toHaveLength(4)
    expect(textsOf(...talk, cleared, user('u9', null, 'new'))).toEqual(['new'])
  })

  const kept = [
    ...talk,
    compaction('b1', { preservedMessages: { uuids: ['u2', 'a2'] } }),
    summary('s1', 'b1', 'Short.'),
    user('u3', 's1', 'five'),
    user('u4', 's1', 'six'),
  ]

  it('counts after a compaction that keeps messages, if no message follows it', () => {
    expect(textsOf(...kept, leaf('u3'))).toEqual(['Short.', 'three', 'four', 'five'])
    const more = reply('a3', 'u3', 'seven')
    expect(textsOf(...kept, more, leaf('u3'))).toEqual(['Short.', 'three', 'four', 'five', 'seven'])
  })

  it('may be a kept message', () => {
    expect(textsOf(...kept, leaf('u2', { explicit: true }))).toEqual(['Short.', 'three'])
  })
})

describe('a compaction', () => {
  it('keeps messages that are written after it', () => {
    const uuids = ['u2', 'late']
    const values = [
      ...talk.slice(0, 3),
      compaction('b1', { preservedMessages: { uuids } }),
      summary('s1', 'b1', 'Short.'),
      reply('late', 'u2', 'four'),
      user('u3', 'late', 'five'),
    ]
    expect(textsOf(...values)).toEqual(['Short.', 'three', 'four', 'five'])
    expect(madeOf(...values).losses.repaired).toEqual({})
  })

  it('does not miss a kept line that the model never saw', () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'x' }
    const values = [
      ...talk,
      reply('a3', 'a2', '', { message: { role: 'assistant', id: 'r1', content: [thought] } }),
      compaction('b1', { preservedMessages: { uuids: ['a2', 'a3'] } }),
      summary('s1', 'b1', 'Short.'),
    ]
    expect(textsOf(...values)).toEqual(['Short.', 'four'])
    expect(madeOf(...values).losses.repaired).toEqual({})
  })
})
