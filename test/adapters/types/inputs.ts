// What the clients of the vendors return and take is appended as it is, without a cast. Compiled, never
// run.

import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import type { Session } from '../../../dist/lib/index.js'

export async function recordAnthropic(
  session: Session,
  prompt: Anthropic.MessageParam,
  blocks: Anthropic.ContentBlockParam[],
  { content, usage, model, stop_reason, id }: Anthropic.Message,
) {
  await session.prompt(prompt.content)
  await session.prompt(blocks)
  const payload = { content, usage, model, stop_reason, message_id: id }
  await session.append({ type: 'assistant', payload })
  await session.ingestTurn({ user: prompt.content, assistant: content })
}

export async function recordOpenAI(
  session: Session,
  parts: OpenAI.ChatCompletionContentPart[],
  input: OpenAI.Responses.ResponseInputMessageContentList,
  { output, usage, model }: OpenAI.Responses.Response,
) {
  await session.prompt(parts)
  await session.prompt(input)
  await session.append({ type: 'assistant', payload: { content: output, usage, model } })
}
