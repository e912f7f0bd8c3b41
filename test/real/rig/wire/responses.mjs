// The Responses protocol of OpenAI, as Codex speaks it: a list of items in, a stream of items out.

import { sendJson, startEvents } from '../model-server.mjs'

/** What Codex adds in the user's name; the script must not read it as a prompt. */
const CONTEXT = /^\s*(?:<(?!image)[a-z_]+[ >]|# AGENTS\.md instructions)/

const SHELLS = ['exec_command', 'shell_command', 'shell', 'local_shell', 'exec']

let responses = 0

export const responsesProtocol = {
  name: 'responses',
  matches: (path) => /\/(?:responses|responses\/compact|models)$/.test(path),
  async answer({ body, path, script, response, wait }) {
    if (path.endsWith('/models')) return sendJson(response, 200, { object: 'list', data: [] })
    const plan = script.plan(toScriptMessages(body.input ?? []))
    if (path.endsWith('/compact')) return sendJson(response, 200, compactInput(body.input))
    if (plan.fail !== undefined) {
      return sendJson(response, plan.fail, { error: { message: `failed with ${plan.fail}` } })
    }
    await streamItems(response, { items: toItems(plan, body), plan, wait })
  },
}

/** Items as the script reads them. */
function toScriptMessages(input) {
  return input.flatMap((item) => {
    const { type = 'message', role } = item
    const text = textOf(item.content)
    if (type === 'message') {
      return role === 'user' && CONTEXT.test(text) ? [] : [{ role, kind: 'text', text }]
    }
    if (type.endsWith('_output')) {
      return [{ role: 'user', kind: 'result', text: textOf(item.output) }]
    }
    return type.endsWith('_call') ? [{ role: 'assistant', kind: 'call', text: '' }] : []
  })
}

function textOf(content) {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join('\n')
}

/** The items that replace the input in a compaction on the server: the prompts, and a sealed summary. */
function compactInput(input) {
  const prompts = input.filter(({ role }) => role === 'user')
  return { output: [...prompts, { type: 'compaction', encrypted_content: 'SEALED-SUMMARY' }] }
}

function toItems({ think, text, calls }, body) {
  const number = ++responses
  const items = []
  if (think !== undefined) {
    items.push({
      type: 'reasoning',
      id: `rs_${number}`,
      summary: [{ type: 'summary_text', text: think }],
      encrypted_content: `SEALED-${number}`,
    })
  }
  if (text !== '') {
    const content = [{ type: 'output_text', text, annotations: [] }]
    items.push({ type: 'message', role: 'assistant', id: `msg_${number}`, content })
  }
  return [...items, ...calls.map((call) => toCall(call, body))]
}

/** `namespace.tool` calls a tool of a namespace; `$AGENT` is the id of the agent that was started last. */
function toCall({ id, command, name, input }, body) {
  if (name !== undefined) {
    const [tool, namespace] = name.split('.').reverse()
    const agents = JSON.stringify(body.input).matchAll(/agent_id\\+":\s*\\+"([^"\\]+)/g)
    const given = JSON.stringify(input).replaceAll('$AGENT', [...agents].at(-1)?.[1] ?? '')
    return {
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name: tool,
      ...(namespace !== undefined && { namespace }),
      arguments: given,
    }
  }
  const tools = body.tools ?? []
  const shell = SHELLS.find((one) => tools.some((tool) => (tool.name ?? tool.type) === one))
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name: shell ?? SHELLS[0],
    arguments: JSON.stringify(toArguments(shell, command)),
  }
}

function toArguments(shell, command) {
  if (shell === 'shell_command') return { command }
  if (shell === 'shell') return { command: ['bash', '-lc', command] }
  return { cmd: command, yield_time_ms: 2000 }
}

async function streamItems(response, { items, plan, wait }) {
  const send = startEvents(response)
  const emit = (type, fields) => send({ type, ...fields }, type)
  const id = `resp_${responses}`
  emit('response.created', { response: { id, status: 'in_progress' } })
  for (const [output_index, item] of items.entries()) {
    const isMessage = item.type === 'message'
    const added = isMessage ? { ...item, content: [] } : item
    emit('response.output_item.added', { output_index, item: added })
    if (isMessage) {
      const [{ text }] = item.content
      const part = { item_id: item.id, output_index, content_index: 0 }
      emit('response.output_text.delta', { ...part, delta: text.slice(0, 12) })
      await wait(plan.hang ? 3600 : plan.slow)
      emit('response.output_text.delta', { ...part, delta: text.slice(12) })
    }
    emit('response.output_item.done', { output_index, item })
  }
  const input_tokens = plan.tokens ?? 1000 + responses
  const usage = {
    input_tokens,
    input_tokens_details: { cached_tokens: 10 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: input_tokens + 20,
  }
  emit('response.completed', { response: { id, status: 'completed', output: items, usage } })
  response.end()
}
