import { chmodSync } from 'node:fs'
import { describe, expect, it, type TestContext } from 'vitest'
import { searchSessions } from '../../../lib/free-functions.js'
import { Clock } from '../../helpers/clock.js'
import { time } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Transcript } from '../catalog/catalog-transcript.js'

function newRoot(t: Pick<TestContext, 'onTestFinished'>): string {
  return temporaryFolder(t)
}

const keysOf = ({ hits }: Awaited<ReturnType<typeof searchSessions>>) =>
  hits.map(({ sessionKey }) => sessionKey)

describe('a search', () => {
  // Requirements: 001-77, 001-34
  it('gives query, hits and count, and the hits as a text', async (t) => {
    const root = newRoot(t)
    new Transcript('main', 0, { project: '/work/net' })
      .say('Keep the VLAN audit focused on\ntrunk ports')
      .end()
      .save(root)
    expect(await searchSessions({ root, query: ' Trunk  PORTS ' })).toEqual({
      query: 'Trunk PORTS',
      hits: [
        {
          sessionKey: 'main',
          project: '/work/net',
          updatedAt: time(1),
          excerpt: 'Keep the VLAN audit focused on trunk ports',
          rank: -3,
        },
      ],
      count: 1,
      message: `Found for "Trunk PORTS":\n- main (/work/net, ${time(1)}): Keep the VLAN audit focused on trunk ports`,
    })
    expect(await searchSessions({ root, query: 'juniper' })).toEqual({
      query: 'juniper',
      hits: [],
      count: 0,
      message: 'Nothing was found for "juniper".',
    })
  })

  // Requirement: 001-72
  it('looks into open and ended transcripts: prompts, replies and summaries', async (t) => {
    const root = newRoot(t)
    new Transcript('prompt', 0).say('needle').save(root)
    new Transcript('reply', 10)
      .reply([{ type: 'text', text: 'a NEEDLE' }])
      .end()
      .save(root)
    new Transcript('summary', 20).add('summary', { text: 'needles' }).save(root)
    new Transcript('tool', 30).add('tool_result', { content: 'needle' }).save(root)
    new Transcript('system', 40).add('system', { content: 'needle' }).save(root)
    new Transcript('thought', 50).reply([{ type: 'thinking', thinking: 'needle' }]).save(root)
    expect(keysOf(await searchSessions({ root, query: 'needle' }))).toEqual([
      'summary',
      'reply',
      'prompt',
    ])
  })

  // Requirement: 001-73
  it.for(['', '  ', '\n\u0000'])('needs a query: %j is ERR_ARG', async (query) => {
    await expect(searchSessions({ root: '/nonexistent', query })).rejects.toMatchObject({
      code: 'ERR_ARG',
    })
    const wrong = { root: '/nonexistent', query: undefined as never }
    await expect(searchSessions(wrong)).rejects.toThrow(TypeError)
  })

  // Requirement: 001-74
  it.for([
    [undefined, 10],
    [0, 1],
    [-3, 1],
    [2.9, 2],
    [21, 20],
    [Number.NaN, 10],
    [Number.POSITIVE_INFINITY, 10],
  ] as const)('with the limit %s gives %s of 25', async ([limit, count], t) => {
    const root = newRoot(t)
    for (let number = 0; number < 25; number++) {
      new Transcript(`s${number}`, number).say('needle').save(root)
    }
    const found = await searchSessions({ root, query: 'needle', limit })
    expect(found.count).toBe(count)
    expect(keysOf(found)).toEqual(Array.from({ length: count }, (_, index) => `s${24 - index}`))
  })

  // Requirement: 001-75
  it('by a subagent looks into its parent, and nowhere else', async (t) => {
    const root = newRoot(t)
    new Transcript('agent:nic:main').say('needle').save(root, 'agent%3Anic%3Amain')
    new Transcript('other', 10).say('needle').save(root)
    const asked = { root, query: 'needle', currentSessionKey: 'session:agent:nic:subagent:1' }
    expect(keysOf(await searchSessions(asked))).toEqual(['agent:nic:main'])
    const orphan = { ...asked, currentSessionKey: 'agent:unknown:subagent:1' }
    expect(keysOf(await searchSessions(orphan))).toEqual([])
    expect(keysOf(await searchSessions({ ...asked, sessionKey: 'other' }))).toEqual(['other'])
  })

  // Requirement: 001-76
  it('leaves out the session that asks', async (t) => {
    const root = newRoot(t)
    new Transcript('self').say('needle').save(root)
    new Transcript('other').say('needle').save(root)
    const asked = { root, query: 'needle', currentSessionKey: 'session:self' }
    expect(keysOf(await searchSessions(asked))).toEqual(['other'])
  })

  // Requirements: 001-30, 001-76
  it('is narrowed by a project, which does not change whose sessions are searched', async (t) => {
    const root = newRoot(t)
    new Transcript('here', 0, { project: '/work/a' }).say('needle').save(root)
    new Transcript('there', 0, { project: '/work/b' }).say('needle').save(root)
    new Transcript('theirs', 0, { project: '/work/a' }).say('needle').save(`${root}/agents/nic`)
    const asked = { root, query: 'needle', project: '/work/a/' }
    expect(keysOf(await searchSessions(asked))).toEqual(['here'])
    expect(keysOf(await searchSessions({ ...asked, agent: 'nic' }))).toEqual(['theirs'])
  })

  it('of one session that is not there is ERR_NOT_FOUND', async (t) => {
    const asked = { root: newRoot(t), query: 'needle', sessionKey: 'unknown' }
    await expect(searchSessions(asked)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  })
})

describe('hits', () => {
  // Requirement: 001-77
  it('rank by distinct terms and the phrase, then by their time; lower is better', async (t) => {
    const root = newRoot(t)
    new Transcript('phrase', 0).say('fix the old parser today').save(root)
    new Transcript('spread', 10).say('the parser').reply('is old').say('fix it').save(root)
    new Transcript('two', 20).say('an OLD parser, an old parser').save(root)
    new Transcript('two-newer', 30).say('old parser').save(root)
    new Transcript('one', 40).say('a parser').save(root)
    const { hits } = await searchSessions({ root, query: 'fix the old parser' })
    expect(hits.map(({ sessionKey, rank }) => [sessionKey, rank])).toEqual([
      ['phrase', -5],
      ['spread', -4],
      ['two-newer', -2],
      ['two', -2],
      ['one', -1],
    ])
  })

  it('of a session by its own key come first and alone, with rank 0', async (t) => {
    const root = newRoot(t)
    new Transcript('abc').say('hello there').reply('about xyz').save(root)
    new Transcript('xyz').say('see abc').save(root)
    expect(await searchSessions({ root, query: 'session:abc' })).toMatchObject({
      hits: [{ sessionKey: 'abc', rank: 0, excerpt: 'User: hello there' }],
      count: 1,
    })
    const self = { root, query: 'abc', currentSessionKey: 'abc' }
    expect(await searchSessions(self)).toMatchObject({ hits: [{ sessionKey: 'xyz', rank: -2 }] })
  })

  it('are by terms of three letters and more, eight at most; shorter queries are one', async (t) => {
    const root = newRoot(t)
    new Transcript('demo').say('go up to the ninth, go').save(root)
    const ranks = async (query: string) =>
      (await searchSessions({ root, query })).hits.map(({ rank }) => rank)
    expect(await ranks('go up')).toEqual([-2])
    expect(await ranks('up go')).toEqual([])
    expect(await ranks('up (ninth), x')).toEqual([-1])
    expect(await ranks('aaa bbb ccc ddd eee fff ggg hhh ninth')).toEqual([])
    expect(await ranks('aaa bbb ccc ddd eee fff ggg ninth hhh')).toEqual([-1])
  })

  it('show at most 320 characters, a good third of them before the match', async (t) => {
    const root = newRoot(t)
    const text = `${'before '.repeat(100)}needle ${'behind '.repeat(100)}`
    new Transcript('demo').say(text).save(root)
    const { hits } = await searchSessions({ root, query: 'needle' })
    const { excerpt } = hits[0]!
    expect(excerpt).toHaveLength(320)
    expect(excerpt.indexOf('needle')).toBe(112)
    expect(excerpt).toMatch(/^….*…$/)
  })

  it('never show half a character', async (t) => {
    const root = newRoot(t)
    for (const shift of [0, 1]) {
      const text = `${'x'.repeat(shift)}${'👍'.repeat(300)}needle${'👍'.repeat(300)}`
      new Transcript(`s${shift}`).say(text).save(root)
    }
    const { hits } = await searchSessions({ root, query: 'needle' })
    for (const { excerpt } of hits) {
      expect(excerpt.isWellFormed()).toBe(true)
      expect(excerpt.length).toBeLessThanOrEqual(320)
    }
    expect(hits).toHaveLength(2)
  })

  it('show the best place of a session, redacted before it is cut', async (t) => {
    const root = newRoot(t)
    const secret = 'key-'.padEnd(400, 's')
    new Transcript('demo').say('old').say(`${secret} old parser`).save(root)
    const redact = (text: string) => text.replace(/key-s+/g, '[REDACTED]')
    const { hits } = await searchSessions({ root, query: 'old parser', redact })
    expect(hits).toMatchObject([{ excerpt: '[REDACTED] old parser', rank: -3 }])
  })
})

describe('a search that takes long', () => {
  it('says that it is partial, with what it has', async (t) => {
    const root = newRoot(t)
    const clock = new Clock()
    const environment = {
      now: () => {
        clock.pass(10)
        return clock.ms
      },
    }
    const long = new Transcript('long', 10).say('needle')
    for (let number = 0; number < 200; number++) long.say('hay')
    long.say('pin').save(root)
    new Transcript('older', 0).say('needle').save(root)
    const asked = { root, query: 'needle pin', environment }
    expect(await searchSessions({ ...asked, timeLimitMs: 25 })).toMatchObject({
      hits: [{ sessionKey: 'long', rank: -1 }],
      partial: true,
    })
    expect(await searchSessions({ ...asked, timeLimitMs: 0 })).toMatchObject({ partial: true })
    const whole = await searchSessions({ ...asked, timeLimitMs: 1e6 })
    expect(keysOf(whole)).toEqual(['long', 'older'])
    expect(whole).not.toHaveProperty('partial')
  })

  it('can be stopped', async (t) => {
    const root = newRoot(t)
    new Transcript('demo').say('needle').save(root)
    const signal = AbortSignal.abort()
    await expect(searchSessions({ root, query: 'needle', signal })).rejects.toThrow(/abort/i)
  })

  it('passes over a transcript that this user may not read', async (t) => {
    const root = newRoot(t)
    new Transcript('demo').say('needle').save(root)
    const path = new Transcript('hidden', 10).say('needle').save(root)
    chmodSync(path, 0)
    const { hits } = await searchSessions({ root, query: 'needle' })
    // Root may read everything.
    const mayRead = process.getuid?.() === 0
    expect(hits.map(({ sessionKey }) => sessionKey)).toEqual(
      mayRead ? ['hidden', 'demo'] : ['demo'],
    )
  })
})
