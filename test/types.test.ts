// What TypeScript says of the package. The compiler checks the types (`npm run types`); that the values
// are taken is checked here.

import { expect, expectTypeOf, test } from 'vitest'
import type {
  Message,
  MessageOf,
  PayloadByType,
  ResumedSession,
  Session,
  Store,
} from '../lib/index.js'
import { openStore, resumeSession } from '../lib/index.js'
import { temporaryFolder } from './helpers/temporary.js'

// As the packages of vendors declare them: interfaces, without an index signature.
interface TextBlock {
  type: 'text'
  text: string
  citations: string[] | null
}
interface ToolUseBlock {
  type: 'tool_use'
  id: string
  name: string
  input: unknown
}
interface Usage {
  input_tokens: number
  output_tokens: number
  cache_read_input_tokens: number | null
}
interface MessageParam {
  role: 'user' | 'assistant'
  content: string | (TextBlock | ToolUseBlock)[]
}

test('contents and usage of providers are appended without a cast, and read back', async (t) => {
  const session = await openStore({ root: temporaryFolder(t) }).createSession()
  const text: TextBlock = { type: 'text', text: 'hello', citations: null }
  const content: readonly (TextBlock | ToolUseBlock)[] = [text]
  const usage: Usage = { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: null }
  const param: MessageParam = { role: 'user', content: 'hi' }
  await session.prompt(param.content)
  await session.prompt([text])
  await session.append({ type: 'assistant', payload: { content, usage, model: 'm' } })
  await session.append({
    type: 'assistant',
    payload: { content: [{ type: 'text', text: 'more' }], own_field: 1 },
  })
  await session.append({ type: 'acme:note', payload: { anything: [1] } })
  // @ts-expect-error: a block names its type
  const wrong = session.prompt([{ text: 'no type' }])
  await wrong.catch(() => {})
  const said = session.messages().messages.flatMap(textsOf)
  expect(said).toEqual(expect.arrayContaining(['hi', 'hello', 'more']))
  await session.close()
})

/** The type of a message decides about its payload. */
function textsOf(message: Message): string[] {
  switch (message.type) {
    case 'user':
    case 'assistant':
    case 'system': {
      const { content } = message.payload
      return typeof content === 'string' ? [content] : content.map(({ text }) => String(text))
    }
    case 'summary':
      return [message.payload.text]
    case 'tool_call':
      return [message.payload.name]
    case 'tool_result':
      return [String(message.payload.content)]
    case 'subagent_result':
      return [message.payload.summary]
  }
}

test('a message is a union by its type', () => {
  expectTypeOf<Extract<Message, { type: 'user' }>>().toEqualTypeOf<MessageOf<'user'>>()
  expectTypeOf<MessageOf<'tool_call'>['payload']['input']>().toEqualTypeOf<unknown>()
  expectTypeOf<MessageOf<'summary'>['payload']['text']>().toEqualTypeOf<string>()
  expectTypeOf<MessageOf<'assistant'>['payload']['usage']>().toEqualTypeOf<
    PayloadByType['assistant']['usage'] | null
  >()
})

test('a resume returns a session unless nothing is written', async (t) => {
  const root = temporaryFolder(t)
  const store = openStore({ root })
  const first = await store.createSession()
  await first.prompt('hi')
  await first.close()
  const inspected = await store.resumeSession({ mode: 'inspect' })
  expectTypeOf(inspected.session).toEqualTypeOf<undefined>()
  expect(inspected.session).toBe(undefined)
  const resumed = await resumeSession({ root })
  expectTypeOf(resumed.session).toEqualTypeOf<Session>()
  await resumed.session.close()
  const appended = await store.resumeSession({ id: first.id, mode: 'append' })
  expectTypeOf(appended.session).toEqualTypeOf<Session>()
  await appended.session.close()
  // The mode is known at run time only.
  const later = (store: Store, mode: 'new' | 'inspect') => store.resumeSession({ mode })
  expectTypeOf(later).returns.resolves.toEqualTypeOf<ResumedSession>()
})
