// The list of messages of a Gemini chat, and what becomes of each change of it.

import { describe, expect, it } from 'vitest'
import type { ImportedEvent, TaskEnding } from '../../../lib/interchange/index.js'
import { decodeForeign, findImporter, Losses } from '../../../lib/interchange/index.js'
import { linesOf, projectEvents, shownTexts, shownUuids } from '../../contracts/foreign-files.js'

const ts = '2026-01-31T12:00:00.000Z'
const HEAD = { sessionId: 's', projectHash: 'p', startTime: ts }
const user = (id: string, content: unknown = id) => ({ id, timestamp: ts, type: 'user', content })
const reply = (id: string, more: object = { content: id }) => ({
  id,
  timestamp: ts,
  type: 'gemini',
  ...more,
})
const list = (...messages: readonly object[]) => ({ $set: { messages } })
const updated = (lastUpdated: string) => ({ $set: { lastUpdated } })
const response = (id: string, output: unknown = `result of ${id}`) => ({
  functionResponse: { id, name: 'ls', response: { output } },
})
const CONTEXT = user('ctx', [{ text: '<session_context>today</session_context>' }])

interface Made {
  readonly events: ImportedEvent[]
  readonly losses: Losses
  readonly endings: Map<string, TaskEnding>
}

/** What several files of one session become; `recalled`: uuids of a file that is gone. */
function importFiles(
  files: readonly (readonly object[])[],
  { tasks = [], recalled = [] }: { tasks?: string[]; recalled?: string[] } = {},
): Made {
  const importer = findImporter('gemini')!
  const events: ImportedEvent[] = []
  const losses = new Losses()
  const endings = new Map<string, TaskEnding>()
  const facts = { sessionId: 's', startTs: ts, cwd: undefined }
  const run = importer.start({
    facts,
    tasks: new Map(tasks.map((id) => [id, {}])),
    reread: () => {
      throw new Error('not needed')
    },
    sink: {
      event: (event) => void events.push(event),
      dropped: (reason) => losses.drop(reason),
      repaired: (reason) => losses.repair(reason),
      uninterpreted: (type) => losses.leaveUninterpreted(type),
      task: () => {},
      taskEnded: (id, ending) => void endings.set(id, ending),
    },
  })
  let size = 0
  for (const [index, values] of files.entries()) {
    const source = index === 0 ? undefined : `file-${index}`
    run.open?.({ source, path: 'file', facts })
    if (index === 0) {
      for (const uuid of recalled) {
        run.recall?.({ type: 'user', uuid, prev_uuid: null, ts, payload: {} })
      }
    }
    const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
    size += bytes.length
    for (const line of linesOf(bytes)) {
      for (const record of decodeForeign(line, importer.isRecord, { source }).records) {
        run.add(record)
      }
    }
  }
  run.end?.(size)
  return { events, losses, endings }
}

const importOne = (...values: readonly object[]) => importFiles([[HEAD, ...values]])
const textsOf = ({ events }: Made) => shownTexts(projectEvents(events))
const uuidsOf = ({ events }: Made) => shownUuids(projectEvents(events))
const typesOf = ({ events }: Made) => events.map(({ type }) => type)
const isMarker = (type: string) => ['rewind', 'compaction_boundary'].includes(type)
const markersOf = (made: Made) => typesOf(made).filter(isMarker)

describe('a prompt', () => {
  it.each([
    ['/help', 'a command'],
    ['? what', 'a question for the client'],
    [' <hook_context>x</hook_context>', 'the context of a hook'],
    ['', 'an empty prompt'],
  ])('%j is kept and not shown: the client does not send %s again', (text) => {
    const made = importOne(user('u1', [{ text }]), user('u2'))
    expect(textsOf(made)).toEqual(['u2'])
    expect(typesOf(made)).toContain('gemini:user')
  })

  it('that is only a picture is shown', () => {
    const made = importOne(user('u1', { inlineData: { mimeType: 'image/png', data: 'AA==' } }))
    expect(uuidsOf(made)).toEqual(['u1'])
  })

  it('with a part of an unknown kind is shown, and the report names the kind', () => {
    const made = importOne(user('u1', [{ videoFrame: {} }]), { ...user('x'), type: 'oracle' })
    expect(uuidsOf(made)).toEqual(['u1'])
    expect(made.losses.uninterpreted).toEqual({ videoFrame: 1, oracle: 1 })
  })
})

describe('a tool result', () => {
  const call = (id: string, more: object = {}) => ({ id, name: 'ls', args: {}, ...more })
  const picture = { inlineData: { mimeType: 'image/png', data: 'AA==' } }

  it('that is stored with its call and as a message is shown once', () => {
    const toolCalls = [call('c1', { status: 'success', result: [response('c1')] })]
    const made = importOne(
      reply('g1', { content: '', toolCalls }),
      user('r1', [response('c1')]),
      user('r2', [response('c1'), picture, { text: 'and this' }]),
    )
    expect(textsOf(made)).toEqual(['ls {}', 'result of c1', 'and this'])
    expect(made.losses.dropped).toEqual({ repeated_record: 1 })
  })

  it('of a call that is a part of the content is shown once, as a message', () => {
    const content = [{ functionCall: { id: 'c1', name: 'ls' } }]
    const made = importOne(reply('g1', { content }), user('r1', [response('c1')]))
    expect(textsOf(made)).toEqual(['ls {}', 'result of c1'])
  })

  it('is shown again after a rewind of the message with it', () => {
    const answered = reply('g1', { content: '', toolCalls: [call('c1', { result: 'x' })] })
    const made = importOne(answered, { $rewindTo: 'g1' }, user('r1', [response('c1')]))
    expect(uuidsOf(made)).toEqual(['r1'])
  })

  it('of one of several calls is found among the parts of all, with one picture', () => {
    const all = [response('c1'), picture, response('c2', { a: 1 })]
    const toolCalls = [call('c1', { result: all }), call('c2', { result: all })]
    const { events } = importOne(reply('g1', { content: '', toolCalls }))
    expect(events.slice(2).map(({ type, payload }) => [type, payload['content']])).toEqual([
      ['tool_result', 'result of c1'],
      ['tool_result', { a: 1 }],
      ['user', [expect.objectContaining({ type: 'image' })]],
    ])
  })

  it('that names another call belongs to the call that holds it; an error is one', () => {
    const failed = { functionResponse: { id: 'x', response: { error: 'no' } } }
    const empty = { functionResponse: { id: 'x' } }
    const toolCalls = [call('c1', { result: failed }), call('c2', { result: [empty] })]
    const { events } = importOne(reply('g1', { content: '', toolCalls }))
    expect(events.slice(2).map(({ payload }) => payload)).toMatchObject([
      { tool_call_id: 'c1', content: 'no', is_error: true },
      { tool_call_id: 'c2', content: '', is_error: false },
    ])
  })
})

describe('thoughts', () => {
  it('are beside the content, from the list or from the parts', () => {
    const thoughts = [{ subject: 'Plan', description: 'look' }]
    const content = [{ text: 'hm', thought: true }, { text: 'Yes.' }]
    const { events } = importOne(reply('g1', { content: '', thoughts }), reply('g2', { content }))
    expect(events.slice(1).map(({ payload }) => [payload['content'], payload['thoughts']])).toEqual(
      [
        ['', thoughts],
        ['Yes.', [{ description: 'hm' }]],
      ],
    )
  })
})

describe('a list that is stored again', () => {
  const chat = [user('u1'), reply('g1')]
  const asParts = [user('u1'), reply('g1', { content: [{ text: 'g1' }] })]

  it('changes nothing if it means the same', () => {
    const made = importOne(...chat, list(CONTEXT, ...asParts), reply('g1', { content: ['g1'] }))
    expect(uuidsOf(made)).toEqual(['u1', 'g1'])
    expect(markersOf(made)).toEqual([])
    expect(made.losses.dropped).toEqual({ repeated_record: 2 })
  })

  it('counts versions of a message that means the same, as earlier releases did', () => {
    const made = importOne(...chat, list(...asParts), reply('g1', { content: 'other' }))
    expect(uuidsOf(made)).toEqual(['u1', 'g1~v3'])
  })

  it('adds what is new', () => {
    const made = importOne(...chat, list(...chat, user('u2')))
    expect(uuidsOf(made)).toEqual(['u1', 'g1', 'u2'])
    expect(markersOf(made)).toEqual([])
  })

  it('rewinds if it is shorter, and returns if the longer one is stored again', () => {
    const made = importOne(...chat, list(CONTEXT), list(CONTEXT, ...chat, user('u2')))
    expect(uuidsOf(made)).toEqual(['u1', 'g1', 'u2'])
    expect(markersOf(made)).toEqual(['rewind', 'rewind'])
    const shortened = importOne(...chat, list(CONTEXT, user('u1')), user('u2'))
    expect(uuidsOf(shortened)).toEqual(['u1', 'u2'])
  })

  it('does not return to a list that is not wanted whole', () => {
    const made = importOne(...chat, list(CONTEXT), list(user('u1'), user('u2')))
    expect(textsOf(made)).toEqual(['u1', 'u2'])
  })

  it('rewinds to what both have in common, where nothing later is kept', () => {
    const made = importOne(...chat, user('u2'), list(...chat, user('u3'), user('u4')))
    expect(uuidsOf(made)).toEqual(['u1', 'g1', 'u3', 'u4'])
    expect(markersOf(made)).toEqual(['rewind'])
  })

  it('becomes a boundary that keeps its messages otherwise', () => {
    const made = importOne(...chat, user('u2'), list(user('c1'), user('u2')), user('u3'))
    expect(uuidsOf(made)).toEqual(['c1', 'u2', 'u3'])
    expect(markersOf(made)).toEqual(['compaction_boundary'])
  })

  it('can be rewound into, before and behind the boundary', () => {
    const compacted = [...chat, user('u2'), list(user('c1'), reply('c2'), user('u2'))]
    const inside = importOne(...compacted, user('u3'), { $rewindTo: 'u2' }, user('u4'))
    expect(uuidsOf(inside)).toEqual(['c1', 'c2', 'u4'])
    const behind = importOne(...compacted, user('u3'), user('u4'), { $rewindTo: 'u4' }, user('u5'))
    expect(uuidsOf(behind)).toEqual(['c1', 'c2', 'u2', 'u3', 'u5'])
    const all = importOne(...compacted, { $rewindTo: 'c1' }, user('u5'))
    expect(uuidsOf(all)).toEqual(['u5'])
  })

  it('keeps no message before a boundary if the model sees none of them', () => {
    const notice = { ...user('i1'), type: 'info' }
    const made = importOne(user('u1'), list(user('c1'), user('u1')), notice, {
      $rewindTo: 'c1',
    })
    expect(uuidsOf(made)).toEqual([])
  })

  it('leaves out members without an id, and says so', () => {
    const made = importOne(list(user('u1'), { type: 'user', content: 'x' }))
    expect(uuidsOf(made)).toEqual(['u1'])
    expect(made.losses.uninterpreted).toEqual({ 'message without an id': 1 })
  })

  it('takes the last message of an id, at the place of the first', () => {
    const made = importOne(list(user('u1', 'old'), user('u2'), user('u1', 'new')))
    expect(textsOf(made)).toEqual(['new', 'u2'])
  })
})

describe('several files of one chat', () => {
  const first = [HEAD, user('u1'), reply('g1'), updated('2026-01-31T12:00:05.000Z')]

  it('a file with nothing to see changes nothing', () => {
    const second = [HEAD, list(CONTEXT), updated('2026-01-31T12:00:09.000Z')]
    const made = importFiles([first, second])
    expect(uuidsOf(made)).toEqual(['u1', 'g1'])
    expect(markersOf(made)).toEqual([])
  })

  it('a file that repeats another one and continues it adds what is new', () => {
    const second = [HEAD, user('u1'), reply('g1'), user('u2'), updated('2026-01-31T12:00:09.000Z')]
    const made = importFiles([first, second])
    expect(uuidsOf(made)).toEqual(['u1', 'g1', 'u2'])
    expect(markersOf(made)).toEqual([])
  })

  it('the file that was updated last is what the model sees, whatever is read last', () => {
    const second = [HEAD, user('u8'), updated('2026-01-31T12:00:02.000Z')]
    expect(uuidsOf(importFiles([first, second]))).toEqual(['u1', 'g1'])
    expect(uuidsOf(importFiles([second, first]))).toEqual(['u1', 'g1'])
    const notice = { ...user('i1'), type: 'info' }
    const newer = [HEAD, notice, user('u8'), updated('2026-01-31T12:00:09.000Z')]
    expect(uuidsOf(importFiles([first, newer]))).toEqual(['u8'])
  })

  it('a file does not follow one with a boundary', () => {
    const compacted = [HEAD, user('u1'), user('u2'), list(user('u2'), user('u1'))]
    const second = [HEAD, user('u2'), user('u9'), updated('2026-01-31T12:00:09.000Z')]
    expect(textsOf(importFiles([compacted, second]))).toEqual(['u2', 'u9'])
  })

  it('a message of a file that is gone has another uuid', () => {
    const made = importFiles([first], { recalled: ['u1', 'u1~v2', 'u1~v2~1', 'g1~1'] })
    expect(uuidsOf(made)).toEqual(['u1~v3', 'g1~v2'])
  })
})

describe('a subagent', () => {
  const call = (more: object) => ({
    id: 'c1',
    name: 'invoke_agent',
    args: { agent_name: 'scout' },
    agentId: 'a1',
    ...more,
  })
  const answer = (text: string) => ({ status: 'success', result: [response('c1', text)] })
  const run = (more: object, tasks = ['a1']) => {
    const toolCalls = [call(more)]
    const messages = [HEAD, reply('g1', { content: '', toolCalls }), list(user('c'), user('d'))]
    return importFiles([messages], { tasks })
  }

  it('belongs to the call that names it, and has its result', () => {
    const { events, endings } = run(answer('Termination Reason: GOAL\nFOUND'))
    expect(events.slice(1, 5).map(({ type }) => type)).toEqual([
      'assistant',
      'subagent_spawn',
      'tool_result',
      'subagent_result',
    ])
    expect(events[2]!.payload).toMatchObject({ task_id: 'a1', agent_type: 'scout' })
    expect(endings.get('a1')).toMatchObject({ success: true })
  })

  it.each([
    ['ran out of turns', answer('Termination Reason: MAX_TURNS')],
    ['failed', { status: 'error', result: [response('c1', 'no')] }],
  ])('that %s is failed', (_, more) => {
    expect(run(more).endings.get('a1')?.success).toBe(false)
  })

  it('that returned something else than a text is completed', () => {
    const more = { result: [response('c1', { a: 1 })] }
    expect(run(more).endings.get('a1')).toEqual({ success: true, summary: '{"a":1}' })
  })

  it('is not known without a file of its own, or without a result', () => {
    expect(typesOf(run(answer('x'), []))).not.toContain('subagent_spawn')
    expect(run({}).endings.size).toBe(0)
  })

  it('is named once, however often its message is written', () => {
    const toolCalls = [call(answer('x'))]
    const messages = ['', 'more'].map((content) => reply('g1', { content, toolCalls }))
    const made = importFiles([[HEAD, ...messages]], { tasks: ['a1'] })
    expect(typesOf(made).filter((type) => type === 'subagent_spawn')).toHaveLength(1)
  })
})
