// What every summarizer owes, as a suite that runs on each of them.

import { describe, expect, it } from 'vitest'
import type { Message } from '../../lib/chain/index.js'
import {
  compactionInstructions,
  type Summarizer,
  type SummaryRequest,
} from '../../lib/compaction/index.js'

export function requestFor(fields: Partial<SummaryRequest> = {}): SummaryRequest {
  return {
    messages: [
      message('user', { content: 'Rename the config key "colour" in lib/config.ts.' }),
      message('tool_call', { tool_call_id: 't1', name: 'Read', input: { path: 'lib/config.ts' } }),
      message('tool_result', { tool_call_id: 't1', content: 'colour: red', is_error: false }),
      message('assistant', { content: 'It is used in two files. Shall I rename both?' }),
    ],
    previousSummary: undefined,
    maxTokens: 500,
    signal: new AbortController().signal,
    instructions: compactionInstructions({ maxTokens: 500 }),
    ...fields,
  }
}

export function message(type: string, payload: unknown): Message {
  return { type, uuid: 'u', ts: '2026-01-01T00:00:00.000Z', payload } as Message
}

export function summarizerContract(name: string, make: () => Summarizer | Promise<Summarizer>) {
  describe(`${name} keeps the contract of summarizers`, () => {
    it('gives a text, and says who wrote it', async () => {
      const { text, model } = await (await make())(requestFor())
      expect(text.trim()).not.toBe('')
      expect(typeof model).toBe('string')
    })

    it('can be asked several times at once', async () => {
      const summarizer = await make()
      const answers = await Promise.all([1, 2, 3].map(() => summarizer(requestFor())))
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    })

    it('takes a conversation of any size and of anything', async () => {
      const summarizer = await make()
      const odd = [
        message('user', { content: 'half a \ud83d character' }),
        message('user', null),
        message('assistant', { content: [{ type: 'image', source: {} }, 'text', 5, null] }),
        message('tool_call', {}),
        message('something_else', { any: ['thing'] }),
      ]
      const long = Array.from({ length: 2000 }, () => message('user', { content: 'x'.repeat(500) }))
      for (const messages of [[], odd, long]) {
        const { text } = await summarizer(requestFor({ messages, previousSummary: 'What was.' }))
        expect(text.trim()).not.toBe('')
        expect(text.isWellFormed()).toBe(true)
      }
    })

    it('changes nothing of what it is given', async () => {
      const request = requestFor({ previousSummary: 'What was.' })
      const before = JSON.stringify(request.messages)
      await (await make())(request)
      expect(JSON.stringify(request.messages)).toBe(before)
    })
  })
}
