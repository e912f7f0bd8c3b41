// The three adapters against a real server: what they ask, what they make of the answer, and that
// every failure is reported.

import { describe, expect, it, test } from 'vitest'
import {
  anthropic,
  extractive,
  ollama,
  openAiCompatible,
  withFallbacks,
} from '../../lib/summarizers/index.js'
import { message, requestFor, summarizerContract } from '../contracts/summarizer.js'
import {
  abortOn,
  answering,
  cutOff,
  good,
  type ModelServer,
  modelServer,
  silent,
  TEXT,
  withModelServer,
} from './model-server.js'

let server: ModelServer
withModelServer((started) => {
  server = started
})

const ADAPTERS = [
  { name: 'ollama', make: () => ollama({ model: 'qwen2.5:7b', url: server.url }) },
  {
    name: 'openAiCompatible',
    make: () => openAiCompatible({ model: 'gpt', url: `${server.url}/v1/`, apiKey: 'sk-secret' }),
  },
  {
    name: 'anthropic',
    make: () => anthropic({ model: 'claude', url: server.url, apiKey: 'sk-secret' }),
  },
]

for (const { name, make } of ADAPTERS) {
  summarizerContract(name, make)
  summarizerContract(`${name} behind withFallbacks`, () => withFallbacks(make(), extractive()))
}

describe.each(ADAPTERS)('$name', ({ make }) => {
  it('returns the text of the model, its data, its name and its length', async () => {
    expect(await make()(requestFor())).toEqual({
      text: TEXT,
      structured: {
        summary: 'The key is renamed.',
        topics: [],
        keyDecisions: ['Both files'],
        openQuestions: [],
        nextSteps: [],
      },
      model: 'm',
      tokens: 12,
    })
  })

  it.each([
    ['an error of the server', answering(500, 'out of memory'), /answered 500: out of memory/],
    ['no such model', answering(404, '{"error":"model not found"}'), /answered 404.*not found/],
    ['too many requests', answering(429, ''), /answered 429: \(nothing\)/],
    ['a page for people', answering(200, '<html>hello</html>'), /not JSON: <html>/],
    ['a number', answering(200, '17'), /not an object/],
    ['another answer', answering(200, '{"ok":true,"done":true}'), /no text in/],
    ['an empty text', answering(200, EMPTY), /no text in|cut off/],
    ['a connection that ends too early', cutOff, /cut off|no JSON/],
    ['an endless answer', answering(200, 'x'.repeat(5_000_000)), /longer than/],
  ] as const)('reports %s as a failure', async (_, behaviour, message) => {
    server.behaviour = behaviour
    const answer = make()(requestFor())
    await expect(answer).rejects.toMatchObject({ code: 'ERR_SUMMARIZER' })
    await expect(answer).rejects.toThrow(message)
    await expect(answer).rejects.not.toThrow(/sk-secret/)
  })

  it('waits for a slow server', async () => {
    server.behaviour = (response, asked) => {
      setTimeout(() => good(response, asked), 50)
    }
    expect((await make()(requestFor())).text).toBe(TEXT)
  })

  it('stops waiting for a silent server when its signal is aborted', async () => {
    server.behaviour = silent
    const signal = abortOn(server.nextRequest())
    await expect(make()(requestFor({ signal }))).rejects.toThrow('no longer needed')
  })

  it('stops in the middle of an answer when its signal is aborted', async () => {
    const controller = new AbortController()
    server.behaviour = (response) => {
      response.write('{"model":')
      setImmediate(() => controller.abort(new Error('enough')))
    }
    const { signal } = controller
    await expect(make()(requestFor({ signal }))).rejects.toThrow('enough')
  })

  // Requirement: 002-30
  it('sends the instructions, the previous summary and the conversation', async () => {
    const asked = server.nextRequest()
    await make()(requestFor({ previousSummary: 'The key is "colour".', maxInputTokens: 5000 }))
    const text = JSON.stringify((await asked).body)
    expect(text).toContain('## Open questions')
    expect(text).toContain('<before>\\nThe key is \\"colour\\".')
    expect(text).toContain('→ Read {\\"path')
  })

  it('leaves out the oldest messages where there are too many', async () => {
    const asked = server.nextRequest()
    const messages = Array.from({ length: 1000 }, (_, index) =>
      message('user', { content: `${index} `.padEnd(300, 'x') }),
    )
    await make()(requestFor({ messages, maxInputTokens: 3000 }))
    const text = JSON.stringify((await asked).body)
    expect(text.length).toBeLessThan(12_000)
    expect(text).toContain('999 xxx')
    expect(text).toContain('earlier messages left out')
  })
})

const EMPTY = JSON.stringify({
  message: { content: ' ' },
  choices: [{ message: { content: '' } }],
  content: [],
  done: true,
})

test('the error for an unreachable server contains its address', async () => {
  const gone = await modelServer()
  await gone[Symbol.asyncDispose]()
  const answer = ollama({ model: 'm', url: gone.url })(requestFor())
  await expect(answer).rejects.toThrow(`${gone.url}/api/chat: it cannot be reached (ECONNREFUSED)`)
})

test('sends the request that each API expects', async () => {
  const bodies = []
  for (const { make } of ADAPTERS) {
    const asked = server.nextRequest()
    await make()(requestFor({ maxInputTokens: 8000 }))
    bodies.push(await asked)
  }
  const [first, second, third] = bodies
  expect(first).toMatchObject({
    path: '/api/chat',
    body: { model: 'qwen2.5:7b', stream: true, options: { num_ctx: 9000, num_predict: 1000 } },
  })
  expect(second).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer sk-secret' },
    body: { model: 'gpt', max_tokens: 1000, messages: [{ role: 'system' }, { role: 'user' }] },
  })
  expect(third).toMatchObject({
    path: '/v1/messages',
    headers: { 'x-api-key': 'sk-secret', 'anthropic-version': '2023-06-01' },
    body: { model: 'claude', max_tokens: 1000, messages: [{ role: 'user' }] },
  })
  expect(third!.body.system).toContain('## Next steps')
})

test('does not follow a redirect with the key', async () => {
  server.behaviour = (response) => {
    response.writeHead(307, { location: `${server.url}/elsewhere` }).end()
  }
  for (const { make } of ADAPTERS) await expect(make()(requestFor())).rejects.toThrow(/redirect/)
  expect(server.asked.filter(({ path }) => path === '/elsewhere')).toEqual([])
})

test('an error in the stream of Ollama is reported', async () => {
  server.behaviour = (response) => {
    response.write('{"message":{"content":"The"},"done":false}\n')
    response.end('{"error":"model runner has stopped"}\n')
  }
  const answer = ollama({ model: 'm', url: server.url })(requestFor())
  await expect(answer).rejects.toThrow('it gave up: model runner has stopped')
})

test('a stream of Ollama without its last object was cut off', async () => {
  server.behaviour = answering(200, '{"message":{"content":"The key is"},"done":false}\n')
  const answer = ollama({ model: 'm', url: server.url })(requestFor())
  await expect(answer).rejects.toThrow('its answer was cut off')
})

test('rejects an invalid address before any request', () => {
  for (const url of ['localhost:11434', 'ftp://host', '', 'no url']) {
    expect(() => ollama({ model: 'm', url }), url).toThrow(/not the address of a server/)
  }
  expect(() => ollama({ model: 'm', url: 5 as never })).toThrow(TypeError)
})
