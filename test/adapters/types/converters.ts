// What the converters return is what the clients of the vendors take. Compiled, never run.

import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { type Message, toAnthropic, toOpenAI } from '../../../dist/lib/index.js'

export async function send(messages: readonly Message[], anthropic: Anthropic, openai: OpenAI) {
  await anthropic.messages.create({
    model: 'claude-opus-4-5',
    max_tokens: 1024,
    ...toAnthropic(messages),
  })
  await openai.chat.completions.create({ model: 'gpt-5', ...toOpenAI(messages) })
  await openai.responses.create({ model: 'gpt-5', ...toOpenAI(messages, { api: 'responses' }) })
}

export const params: (messages: readonly Message[]) => Anthropic.MessageParam[] = (messages) =>
  toAnthropic(messages).messages

export const chat: (messages: readonly Message[]) => OpenAI.ChatCompletionMessageParam[] = (
  messages,
) => toOpenAI(messages, { api: 'chat' }).messages

// @ts-expect-error: what one vendor takes is not what the other takes
export const wrong: (messages: readonly Message[]) => OpenAI.ChatCompletionMessageParam[] = params
