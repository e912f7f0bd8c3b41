// The protocol of Gemini: `models/<name>:streamGenerateContent`, `:generateContent` and `:countTokens`.

import { sendJson, startEvents } from '../model-server.mjs'

const CLIENT_CONTEXT = /<(session_context|hook_context)>[\s\S]*?<\/\1>/

export const gemini = {
  name: 'gemini',
  matches: (path) => /:(streamGenerateContent|generateContent|countTokens)$/.test(path),

  async answer({ body, path, script, response, wait }) {
    if (path.endsWith(':countTokens')) return sendJson(response, 200, { totalTokens: 1000 })
    const messages = parseContents(body.contents)
    if (asksForJson(body)) return sendJson(response, 200, toBody([{ text: JSON_ANSWER }], {}))
    const plan = planSubagent(body, messages, script) ?? planReply(messages, script)
    if (plan.fail !== undefined) {
      return sendJson(response, plan.fail, {
        error: { code: plan.fail, message: 'as the script says' },
      })
    }
    if (path.endsWith(':generateContent')) {
      if (plan.slow > 0) await wait(plan.slow)
      return sendJson(response, 200, toBody(toParts(plan), plan))
    }
    await stream(response, plan, wait)
  },
}

/** The parts of all turns, one entry each, without the context that the client adds by itself. */
function parseContents(contents = []) {
  return contents.flatMap(({ role, parts = [] }) =>
    parts.flatMap((part) => {
      if (part.functionResponse !== undefined) return [{ role, kind: 'result', text: '' }]
      if (part.functionCall !== undefined) return [{ role, kind: 'call', text: '' }]
      if (typeof part.text !== 'string' || part.thought === true) return []
      const text = part.text.replace(CLIENT_CONTEXT, '').trim()
      return text === '' ? [] : [{ role, kind: 'text', text }]
    }),
  )
}

/** The request for a summary ends with a text of the client, so the pause is in an earlier prompt. */
function planReply(messages, script) {
  const plan = script.plan(messages)
  if (plan.isSummary !== true) return plan
  const asked = messages.map(({ text }) => /\bSLOWCOMPACT (\d+)/.exec(text)?.[1]).find(Boolean)
  return { ...plan, slow: Number(asked ?? 0) }
}

/** Small decisions of the client, such as who speaks next; it accepts fields that it did not ask for. */
const JSON_ANSWER = JSON.stringify({
  reasoning: 'none',
  next_speaker: 'user',
  model_choice: 'flash',
  complexity_reasoning: 'none',
  complexity_score: 1,
})

function asksForJson({ generationConfig = {} }) {
  return (
    generationConfig.responseMimeType === 'application/json' ||
    generationConfig.responseJsonSchema !== undefined
  )
}

/** A subagent looks at its folder once, then ends by the call that its tools name for that. */
function planSubagent({ tools = [] }, messages, script) {
  const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)
  const done = declared.find(({ name }) => name === 'complete_task')
  if (done === undefined) return undefined
  const plan = script.plan([
    { role: 'user', kind: 'text', text: 'CALL list_directory {"dir_path":"."}' },
  ])
  if (messages.at(-1)?.kind !== 'result') return plan
  const { properties = {}, required } = done.parametersJsonSchema ?? done.parameters ?? {}
  const [field] = required ?? Object.keys(properties)
  const isText = (properties[field]?.type ?? 'string').toLowerCase() === 'string'
  const found = { SummaryOfFindings: 'FOUND', ExplorationTrace: [], RelevantLocations: [] }
  const call = {
    ...plan.calls[0],
    name: 'complete_task',
    input: { [field]: isText ? 'FOUND' : found },
  }
  return { ...plan, calls: [call] }
}

function toParts({ think, text, calls }) {
  return [
    ...(think === undefined ? [] : [{ text: `**Plan** ${think}`, thought: true }]),
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ id, command, name = 'run_shell_command', input }, index) => ({
      functionCall: { id, name, args: input ?? { command, description: 'run it' } },
      ...(index === 0 && { thoughtSignature: `signature-${id}` }),
    })),
  ]
}

function toBody(parts, { tokens = 1000 }, isLast = true) {
  return {
    candidates: [
      { content: { role: 'model', parts }, index: 0, ...(isLast && { finishReason: 'STOP' }) },
    ],
    usageMetadata: {
      promptTokenCount: tokens,
      candidatesTokenCount: 20,
      totalTokenCount: tokens + 20,
    },
    modelVersion: 'fake',
  }
}

/** One event for each part; a text in two, so that something can happen in the middle of it. */
async function stream(response, plan, wait) {
  const send = startEvents(response)
  const parts = toParts(plan).flatMap((part) => {
    if (part.text === undefined || part.thought === true) return [part]
    const middle = Math.ceil(part.text.length / 2)
    return [{ text: part.text.slice(0, middle) }, { text: part.text.slice(middle) }]
  })
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1
    if (isLast && plan.slow > 0) await wait(plan.slow)
    if (isLast && plan.hang) return
    send(toBody([part], plan, isLast))
  }
  response.end()
}
