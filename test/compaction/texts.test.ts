// The words that go to a summarizer, and those that come back.

import { expect, test } from 'vitest'
import type { Message } from '../../lib/chain/index.js'
import {
  compactionInstructions,
  contextOf,
  readStructured,
  renderForSummary,
} from '../../lib/compaction/index.js'
import { clipEnd, clipMiddle } from '../../lib/format/index.js'
import { conversation, longTalk, projectionOf } from './conversation.js'

// Requirement: 001-35
test('hosts can ask for the instructions: state, decisions, open questions, next steps', () => {
  const text = compactionInstructions()
  const headings = ['State', 'Topics', 'Decisions', 'Open questions', 'Next steps']
  for (const heading of headings.map((name) => `## ${name}`)) {
    expect(text).toContain(heading)
  }
  expect(text).toContain('1400 words')
  expect(compactionInstructions({ maxTokens: 500 })).toContain('350 words')
  expect(compactionInstructions({ custom: 'Keep the error codes.' })).toMatch(
    /Besides: Keep the error codes\.$/,
  )
})

test('reads a summary under headings as data', () => {
  const text = `## State
The parser is half done.

### Remarks
It is slow.

## Decisions
- Use zod, because it is there.
* No cache
## Open Questions:
1. Which port?

## Next steps
`
  expect(readStructured(text)).toEqual({
    summary: 'The parser is half done.\n\n### Remarks\nIt is slow.',
    topics: [],
    keyDecisions: ['Use zod, because it is there.', 'No cache'],
    openQuestions: ['Which port?'],
    nextSteps: [],
  })
  expect(readStructured('Just a text.\n# Title')).toBeUndefined()
})

test('renders a conversation in order, tools in short', () => {
  const { messages } = contextOf(projectionOf(conversation('u1 c1:t1 r1:t1 C1:t2 R1:t2 a1')))
  expect(renderForSummary(messages)).toBe(
    [
      'User:\nprompt u1',
      'Assistant:\n→ tool {"name":"c1"}',
      'Tool:\n← result r1',
      'Assistant:\n→ tool {}',
      'User:\n← ok',
      'Assistant:\nreply a1',
    ].join('\n\n'),
  )
})

test('long results are cut in the middle, without half characters', () => {
  const content = `${'😀'.repeat(5000)} the end`
  const payload = { tool_call_id: 't', content, is_error: true }
  const text = renderForSummary([message('tool_result', payload)])
  expect(text.length).toBeLessThan(2100)
  expect(text).toMatch(/^Tool:\n✗ 😀/)
  expect(text).toMatch(/characters left out.*the end$/s)
  expect(text.isWellFormed()).toBe(true)
})

test('leaves out the oldest messages where not all fit', () => {
  const { messages } = contextOf(projectionOf(longTalk(500, 400)))
  const text = renderForSummary(messages, { maxTokens: 2000 })
  expect(text.length).toBeLessThan(6500)
  expect(text).toMatch(/^\[48\d earlier messages left out\]/)
  expect(text).toContain('500 xxx')
})

test('shortens a single message that is larger than the limit', () => {
  const text = renderForSummary([message('user', { content: 'x'.repeat(1_000_000) })], {
    maxTokens: 1000,
  })
  expect(text.length).toBeLessThan(3100)
  expect(text).toMatch(/^User:\nxxx/)
})

test.for([0, 1, 2, 3, 10, 57, 58, 59, 200])('clipping to %d never splits a character', (chars) => {
  const text = '😀é\ud83d'.repeat(60)
  expect(clipMiddle(text, chars).isWellFormed()).toBe(true)
  expect(clipEnd(text, chars).isWellFormed()).toBe(true)
  expect(clipEnd(text, chars).length).toBeLessThanOrEqual(Math.max(1, chars))
})

function message(type: string, payload: unknown): Message {
  return { type, uuid: 'u', ts: '', payload } as Message
}
