// Which lines of Claude Code the model sees.

import { describe, expect, it } from 'vitest'
import { block, call, madeOf, reply, result, textsOf, user } from './lines.js'

const prompt = user('u1', null, 'go')
const note = (uuid: string, parentUuid: string, attachment: object) => ({
  ...{ type: 'attachment', uuid, parentUuid, sessionId: 's' },
  attachment,
})
const queued = (fields: object) => note('q1', 'u1', { type: 'queued_command', ...fields })
const text = (words: string) => ({ type: 'text', text: words })
const thought = { type: 'thinking', thinking: 'hm', signature: 'x' }

describe('what was typed while the model worked', () => {
  it('is a message', () => {
    expect(textsOf(prompt, queued({ prompt: 'and this' }))).toEqual(['go', 'and this'])
    expect(textsOf(prompt, queued({ prompt: [text('and that')] }))).toEqual(['go', 'and that'])
  })

  it('may be several prompts in one', () => {
    const all = queued({ prompt: 'a', batchedRelayPrompts: ['a', 'b'] })
    const part = note('q2', 'q1', {
      ...{ type: 'queued_command', prompt: 'b', renderedByBatchHead: true },
    })
    expect(textsOf(prompt, all, part)).toEqual(['go', 'a\n\nb'])
  })

  it.each([
    [{ commandMode: 'prompt' }, undefined],
    [{ origin: { kind: 'human' } }, undefined],
    [{ commandMode: 'task-notification' }, true],
    [{ origin: { kind: 'peer' } }, true],
    [{ isMeta: true }, true],
  ])('with %j is by a person or not', (fields, is_meta) => {
    const { events } = madeOf(prompt, queued({ prompt: 'x', ...fields }))
    expect(events.at(-1)?.type).toBe('user')
    expect(events.at(-1)?.payload['is_meta']).toBe(is_meta)
  })
})

it('a command of the client and its output are messages', () => {
  const command = { type: 'system', subtype: 'local_command', uuid: 'x1', parentUuid: 'u1' }
  expect(textsOf(prompt, { ...command, content: '<command-name>/cost</command-name>' })).toEqual([
    'go',
    '<command-name>/cost</command-name>',
  ])
})

it('an error of the API is kept, and is nothing that the model said', () => {
  const error = (model: string) =>
    reply('a1', 'u1', '', {
      isApiErrorMessage: true,
      message: { role: 'assistant', model, content: [text('API Error')] },
    })
  expect(textsOf(prompt, error('<synthetic>'), user('u2', 'a1', 'on'))).toEqual(['go', 'on'])
  expect(madeOf(prompt, error('<synthetic>')).events.at(-1)?.type).toBe('claude-code:api_error')
  expect(textsOf(prompt, error('a model'))).toEqual(['go', 'API Error'])
})

describe('a call without a result', () => {
  const said = block('a1', 'u1', text('first'))
  const open = call('a2', 'a1', 't1')

  it('is not sent, at the end and before the next prompt', () => {
    expect(textsOf(prompt, said, open)).toEqual(['go', 'first'])
    expect(textsOf(prompt, said, open, user('u2', 'a2', 'on'))).toEqual(['go', 'first', 'on'])
  })

  it('is sent when its result is there', () => {
    const shown = textsOf(prompt, said, open, result('u2', 'a2', 't1'))
    expect(shown).toHaveLength(4)
    expect(textsOf(prompt, said, result('u2', 'a2', 't1'), open)).toHaveLength(4)
  })

  it('leaves out only itself among others', () => {
    const values = [prompt, said, call('a2', 'a1', 't1'), call('a3', 'a2', 't2')]
    const shown = textsOf(...values, result('u2', 'a3', 't2'), user('u3', 'u2', 'on'))
    expect(shown).toHaveLength(5)
  })

  it('is sent if another call of its line has a result', () => {
    const both = reply('a1', 'u1', [
      { type: 'tool_use', id: 't1', name: 'Bash', input: {} },
      { type: 'tool_use', id: 't2', name: 'Bash', input: {} },
    ])
    const { events } = madeOf(prompt, both, result('u2', 'a1', 't1'))
    expect(events.map(({ type }) => type)).not.toContain('rewind')
  })
})

describe('a reply of nothing but thoughts', () => {
  it('is not sent', () => {
    expect(textsOf(prompt, block('a1', 'u1', thought))).toEqual(['go'])
    const unnamed = reply('a1', 'u1', [thought])
    expect(textsOf(prompt, unnamed, user('u2', 'a1', 'on'))).toEqual(['go', 'on'])
  })

  it('is not sent with a call that has no result, nor with an empty text', () => {
    expect(textsOf(prompt, block('a1', 'u1', thought), call('a2', 'a1', 't1'))).toEqual(['go'])
    expect(textsOf(prompt, block('a1', 'u1', text(' ')))).toEqual(['go'])
    expect(textsOf(prompt, block('a1', 'u1', text('(no content)')))).toEqual(['go'])
  })

  it('is sent with a text or an answered call', () => {
    expect(textsOf(prompt, block('a1', 'u1', thought), block('a2', 'a1', text('so')))).toHaveLength(
      3,
    )
    const called = [block('a1', 'u1', thought), call('a2', 'a1', 't1'), result('u2', 'a2', 't1')]
    expect(textsOf(prompt, ...called)).toHaveLength(4)
  })
})

it('messages that were taken back are not sent', () => {
  const id = '0a1b2c3d-0000-4000-8000-000000000001'
  const retraction = {
    ...{ type: 'system', subtype: 'model_refusal_fallback', uuid: 'x1', parentUuid: id },
    retractedMessageUuids: [id],
  }
  const values = [prompt, reply(id, 'u1', 'refused'), retraction, reply('a2', 'x1', 'answered')]
  expect(textsOf(...values)).toEqual(['go', 'answered'])
})

describe('lines that the model might see and that are not interpreted', () => {
  it('are reported by their type, and kept', () => {
    const { losses, events } = madeOf(
      prompt,
      note('x1', 'u1', { type: 'file', filename: 'a.txt' }),
      note('x2', 'x1', {}),
      note('x4', 'x2', { type: 'hook_success', content: 'Read this.' }),
      { type: 'from-the-future', uuid: 'x3', parentUuid: 'x2', sessionId: 's' },
      { type: 'content-replacement', sessionId: 's', replacements: [] },
      { sessionId: 's' },
    )
    expect(losses.uninterpreted).toEqual({
      'attachment/file': 1,
      'attachment/undefined': 1,
      'attachment/hook_success': 1,
      'from-the-future': 1,
      'content-replacement': 1,
      record: 1,
    })
    expect(events).toHaveLength(7)
  })

  it('are none of those that are about the client', () => {
    const { losses } = madeOf(
      prompt,
      note('x1', 'u1', { type: 'skill_listing' }),
      note('x2', 'x1', { type: 'hook_success', content: '' }),
      { type: 'agent-name', agentName: 'x', sessionId: 's' },
      { type: 'worktree-state', worktreeSession: null, sessionId: 's' },
    )
    expect(losses.uninterpreted).toEqual({})
  })
})
