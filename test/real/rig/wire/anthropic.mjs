// The Messages API of Anthropic, as Claude Code uses it: streams and whole replies.

import { sendJson, startEvents } from '../model-server.mjs'

/** A signature that the client sends back unread. */
const SIGNATURE = 'c2lnbmF0dXJl'
const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g

let replies = 0

export const anthropic = {
  name: 'anthropic',
  matches: (path) => path.includes('/v1/messages'),

  async answer({ body, path, script, response, wait }) {
    if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 1000 })
    // The client asks for titles and the like beside the conversation, without tools.
    const plan = isConversation(body) ? script.plan(toScript(body.messages)) : sidePlan()
    if (plan.fail !== undefined) {
      const error = { type: 'invalid_request_error', message: `fake failure ${plan.fail}` }
      return sendJson(response, plan.fail, { type: 'error', error })
    }
    const content = toBlocks(plan)
    const message = toMessage(body.model, content, plan)
    if (body.stream !== true) {
      await wait(plan.slow)
      return sendJson(response, 200, message)
    }
    await stream(message, plan, startEvents(response), wait)
    if (!plan.hang) response.end()
  },
}

/** Whether it is a turn of the conversation, or a request for its summary. */
export function isConversation({ tools, output_config, output_format }) {
  return tools?.length > 0 && output_config?.format === undefined && output_format === undefined
}

function sidePlan() {
  return { calls: [], text: '{"title":"A made-up title"}', slow: 0, hang: false }
}

/** What the script reads; reminders of the client are no prompts. */
function toScript(messages) {
  return messages.flatMap(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    return blocks.flatMap((block) => {
      if (block.type === 'tool_use') return [{ role, kind: 'call', text: block.name }]
      if (block.type === 'tool_result') return [{ role, kind: 'result', text: '' }]
      const text = block.type === 'text' ? block.text.replaceAll(REMINDER, '').trim() : ''
      return text === '' ? [] : [{ role, kind: 'text', text }]
    })
  })
}

function toBlocks({ think, text, isSummary, calls }) {
  return [
    ...(think === undefined ? [] : [{ type: 'thinking', thinking: think, signature: SIGNATURE }]),
    ...(text === ''
      ? []
      : [{ type: 'text', text: isSummary === true ? `<summary>\n${text}\n</summary>` : text }]),
    ...calls.map(({ id, command, name = 'Bash', input = { command, description: 'test' } }) => ({
      type: 'tool_use',
      id: `toolu_${id}`,
      name,
      input,
    })),
  ]
}

function toMessage(model, content, { tokens = 1000 }) {
  return {
    id: `msg_${++replies}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: tokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 20,
    },
  }
}

async function stream(message, { slow, hang }, send, wait) {
  const emit = (type, data) => send({ type, ...data }, type)
  const { content, stop_reason, usage } = message
  emit('message_start', { message: { ...message, content: [], stop_reason: null } })
  for (const [index, block] of content.entries()) {
    const { start, deltas } = inParts(block)
    emit('content_block_start', { index, content_block: start })
    for (const [at, delta] of deltas.entries()) {
      emit('content_block_delta', { index, delta })
      const isMiddle = index === content.length - 1 && at === 0
      if (isMiddle && slow > 0) await wait(slow)
      if (isMiddle && hang) return
    }
    emit('content_block_stop', { index })
  }
  emit('message_delta', { delta: { stop_reason, stop_sequence: null }, usage })
  emit('message_stop', {})
}

/** A block as its empty start and its deltas. */
function inParts(block) {
  if (block.type === 'text') {
    const half = Math.ceil(block.text.length / 2)
    const parts = [block.text.slice(0, half), block.text.slice(half)]
    return {
      start: { type: 'text', text: '' },
      deltas: parts.map((text) => ({ type: 'text_delta', text })),
    }
  }
  if (block.type === 'thinking') {
    return {
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        { type: 'thinking_delta', thinking: block.thinking },
        { type: 'signature_delta', signature: block.signature },
      ],
    }
  }
  const partial_json = JSON.stringify(block.input)
  return {
    start: { ...block, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json }],
  }
}
