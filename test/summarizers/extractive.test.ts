// A summary without a model: worse than a model's, but it cannot fail.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { extractive, summarizerFrom, withFallbacks } from '../../lib/summarizers/index.js'
import { message, requestFor, summarizerContract } from '../contracts/summarizer.js'
import { runs } from '../helpers/effort.js'

summarizerContract('extractive', extractive)

test('contains the prompts, the last reply, the tools, the files and the questions', async () => {
  const { text, model, structured } = await extractive()(
    requestFor({ previousSummary: 'The project is a parser.' }),
  )
  expect(model).toBe('extractive')
  expect(text).toBe(`## State
Taken from 4 messages word for word; no model has read them.
Said last: It is used in two files. Shall I rename both?
Tools used: Read 1×
Files: lib/config.ts

## What was asked
- Rename the config key "colour" in lib/config.ts.

## Open questions
- Shall I rename both?

## What was known before
The project is a parser.`)
  expect(structured).toMatchObject({ openQuestions: ['Shall I rename both?'] })
})

test('stays within its length, and keeps a part of every section', async () => {
  const messages = Array.from({ length: 300 }, (_, index) =>
    message(index % 2 === 0 ? 'user' : 'assistant', {
      content: `${index} ${'word '.repeat(400)}?`,
    }),
  )
  const previousSummary = 'before '.repeat(5000)
  for (const maxTokens of [0, 100, 500, 2000]) {
    const { text } = await extractive()(requestFor({ messages, previousSummary, maxTokens }))
    expect(text.length).toBeLessThanOrEqual(Math.max(300, maxTokens * 3.6 + 100))
  }
  const { text } = await extractive()(requestFor({ messages, previousSummary, maxTokens: 500 }))
  expect(text.match(/^## .*/gm)).toEqual([
    '## State',
    '## What was asked',
    '## Open questions',
    '## What was known before',
  ])
})

test('returns a text for any messages', async () => {
  const type = fc.constantFrom('user', 'assistant', 'tool_call', 'tool_result', 'system', 'else')
  const anything = fc.record({ type, payload: fc.anything({ withNullPrototype: true }) })
  const content = fc.record({ type, payload: fc.record({ content: fc.anything() }) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(anything, content), { maxLength: 8 }),
      fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
      async (list, previousSummary) => {
        const messages = list.map((it) => message(it.type, it.payload))
        const { text } = await extractive()(requestFor({ messages, previousSummary }))
        expect(text.trim()).not.toBe('')
        expect(text.isWellFormed()).toBe(true)
      },
    ),
    { numRuns: runs(500) },
  )
})

test('withFallbacks asks in order, and reports all reasons when no summarizer returns a text', async () => {
  const asked: string[] = []
  const failing = (name: string) => async () => {
    asked.push(name)
    throw new Error(`${name} is down`)
  }
  const blank = async () => ({ text: ' ' })
  const chain = withFallbacks(failing('one'), blank, failing('two'), extractive())
  expect((await chain(requestFor())).model).toBe('extractive')
  expect(asked).toEqual(['one', 'two'])
  await expect(withFallbacks(failing('one'), blank)(requestFor())).rejects.toMatchObject({
    code: 'ERR_SUMMARIZER',
    message: expect.stringMatching(/one is down.*returned no text/),
  })
})

test('withFallbacks asks no further summarizer once it is aborted', async () => {
  const controller = new AbortController()
  const first = async () => {
    controller.abort(new Error('enough'))
    throw new Error('down')
  }
  const chain = withFallbacks(first, extractive())
  await expect(chain(requestFor({ signal: controller.signal }))).rejects.toThrow('enough')
})

test('finds summarizers by name', () => {
  for (const name of [
    'extractive',
    'ollama:qwen2.5:7b',
    'ollama:hf.co/a/b@c@http://127.0.0.1:1',
    'openai:gpt@http://127.0.0.1:1/v1',
    'anthropic:claude@https://proxy.example',
  ]) {
    expect(typeof summarizerFrom(name)).toBe('function')
  }
  const env = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }
  for (const name of ['openai:gpt', 'anthropic:claude']) {
    expect(typeof summarizerFrom(name, env)).toBe('function')
    expect(() => summarizerFrom(name)).toThrow(/needs a key in (OPENAI|ANTHROPIC)_API_KEY/)
  }
  for (const name of ['', 'gpt', 'ollama:', 'http://localhost:11434', 'gemini:x']) {
    expect(() => summarizerFrom(name)).toThrow(/is not a summarizer/)
  }
})
