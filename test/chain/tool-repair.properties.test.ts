// After the repair of any conversation its tool calls and results are paired as providers require,
// and nothing else has changed.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Message, messagesOf } from '../../lib/chain/index.js'
import { pairTools } from '../../lib/chain/tool-pairs.js'
import { runs } from '../helpers/effort.js'

test.each(['synthesize', 'drop'] as const)(
  'with `%s` every call is followed by its result and every result has a call',
  (toolPolicy) => {
    const property = fc.property(fc.array(message(), { maxLength: 14 }), (drafts) => {
      const entries = drafts.map(entryOf)
      const before = messagesOf({ entries, compactedCount: 0 }, { repair: false }).messages
      const { messages } = messagesOf({ entries, compactedCount: 0 }, { toolPolicy })

      const { calls, results, orphans } = pairTools(messages)
      expect(orphans).toEqual([])
      for (const call of calls) {
        const result = results.get(call)
        expect(result, `the result of ${call.tool_call_id}`).toBeDefined()
        for (let between = call.message + 1; between < result!.message; between++) {
          expect(['assistant', 'tool_call', 'tool_result', 'user']).toContain(
            messages[between]!.type,
          )
          if (messages[between]!.type === 'user') expect(hasResult(messages[between]!)).toBe(true)
        }
      }
      expect(othersOf(messages)).toEqual(othersOf(before))
      if (toolPolicy === 'synthesize') expect(callIds(messages)).toEqual(callIds(before))
    })
    fc.assert(property, { numRuns: runs(2500) })
  },
)

/** Everything that is neither a call nor a result, in order: no repair may touch it. */
function othersOf(messages: readonly Message[]): unknown[] {
  return messages.flatMap((message) => {
    if (message.type === 'tool_call' || message.type === 'tool_result') return []
    const { content } = message.payload as { content: unknown }
    if (!Array.isArray(content)) return [message.uuid]
    return content.filter(({ type }) => type === 'text').map(({ text }) => text)
  })
}

function callIds(messages: readonly Message[]): string[] {
  return pairTools(messages).calls.map(({ tool_call_id }) => tool_call_id)
}

function hasResult({ payload }: Message): boolean {
  const { content } = payload as { content: unknown }
  return Array.isArray(content) && content.some(({ type }) => type === 'tool_result')
}

interface DraftMessage {
  readonly type: string
  readonly payload: unknown
}

function message(): fc.Arbitrary<DraftMessage> {
  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const text = fc.nat({ max: 99 }).map((number) => ({ type: 'text', text: `t${number}` }))
  const toolUse = id.map((name) => ({ type: 'tool_use', id: name, name, input: {} }))
  const toolResult = id.map((name) => ({ type: 'tool_result', tool_use_id: name, content: 'x' }))
  const blocks = (block: fc.Arbitrary<object>) => {
    const several = fc.array(fc.oneof(block, block, text), { minLength: 1, maxLength: 4 })
    return several.map((content) => ({ content }))
  }
  return fc.oneof(
    id.map((tool_call_id) => of('tool_call', { tool_call_id, name: 'x', input: {} })),
    id.map((tool_call_id) => of('tool_result', { tool_call_id, content: 'x', is_error: false })),
    blocks(toolUse).map((payload) => of('assistant', payload)),
    blocks(toolResult).map((payload) => of('user', payload)),
    fc.constantFrom('user', 'assistant', 'system').map((type) => of(type, { content: 'hm' })),
  )
}

function of(type: string, payload: unknown): DraftMessage {
  return { type, payload }
}

function entryOf({ type, payload }: DraftMessage, index: number) {
  const event = { type, ts: '', uuid: `u${index}`, prev_uuid: null, payload }
  return { kind: 'event', file: 'log', event, byte_offset: index } as const
}
