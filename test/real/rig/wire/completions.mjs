// OpenAI's chat completions, streamed.

import { sendJson, startEvents } from '../model-server.mjs'

export const completions = {
  name: 'completions',
  matches: (path) => path.endsWith('/chat/completions'),
  answer,
}

const TITLE_REQUEST = /You are a title generator/
const TITLE = { calls: [], text: 'A title', slow: 0, hang: false }
// What a plugin adds to a prompt is no order to the script.
const INJECTED = /^## (?:Session Recovery Context|Project Memory)\n/

async function answer({ body, script, response, wait }) {
  const messages = parse(body)
  // A client that summarizes says so in the system prompt; the conversation itself is quoted in the prompt.
  const isSummary = messages.some(
    ({ role, text }) => ['system', 'developer'].includes(role) && /summarization/i.test(text),
  )
  const isTitle = messages.some(({ role, text }) => role === 'system' && TITLE_REQUEST.test(text))
  const plan = isTitle ? TITLE : script.plan(messages, { isSummary })
  if (plan.fail !== undefined)
    return sendJson(response, plan.fail, { error: { message: `made-up error ${plan.fail}` } })
  const send = startEvents(response)
  const chunk = (delta, rest = {}) =>
    send({
      id: 'made-up',
      object: 'chat.completion.chunk',
      created: 1,
      model: body.model,
      choices: [{ index: 0, delta, finish_reason: null, ...rest.choice }],
      ...rest.body,
    })
  chunk({ role: 'assistant', content: '' })
  if (plan.think !== undefined) chunk({ reasoning_content: plan.think })
  const half = Math.floor(plan.text.length / 2)
  if (plan.text !== '') chunk({ content: plan.text.slice(0, half) })
  if (plan.slow > 0) await wait(plan.slow)
  if (plan.hang) return wait(3600)
  if (plan.text !== '') chunk({ content: plan.text.slice(half) })
  for (const [index, call] of plan.calls.entries()) chunk({ tool_calls: [toToolCall(call, index)] })
  const usage = {
    prompt_tokens: plan.tokens ?? 1000,
    completion_tokens: 20,
    total_tokens: (plan.tokens ?? 1000) + 20,
  }
  chunk(
    {},
    { choice: { finish_reason: plan.calls.length > 0 ? 'tool_calls' : 'stop' }, body: { usage } },
  )
  response.end('data: [DONE]\n\n')
}

function toToolCall({ id, command, name = 'bash', input = { command } }, index) {
  return { index, id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

/** The request as the script reads it. */
function parse({ messages }) {
  return messages.flatMap(({ role, content, tool_calls = [] }) => {
    const text =
      typeof content === 'string'
        ? content
        : (content ?? [])
            .map((block) => block.text ?? '')
            .filter((part) => !INJECTED.test(part))
            .join('\n')
    if (role === 'tool') return [{ role: 'user', kind: 'result', text }]
    const calls = tool_calls.map(() => ({ role, kind: 'call', text: '' }))
    return [...(text === '' ? [] : [{ role, kind: 'text', text }]), ...calls]
  })
}
