// What Codex sends to its model, as the message list of the rig. Imports nothing of lib/.

import { flattenContent, toResult } from '../rig/messages.mjs'

/** Texts that the client makes anew on every resume. */
export const WORDING = [
  {
    // A call that was cut off has no output in the file; each side makes one up.
    name: 'result of an interrupted call',
    theirs: /^aborted$/,
    ours: /^no result recorded/,
  },
]

/**
 * `probe`: the prompt of the resume; it and what follows are not part of the session. `isContextNew`: the old
 * version puts its context, made anew, before what a compaction has left.
 */
export function toMessages(body, probe, { isContextNew = false } = {}) {
  const at = body.input.findLastIndex((item) => JSON.stringify(item).includes(probe))
  const before = withoutContextOfResume(body.input.slice(0, at))
  const first = isContextNew ? before.findIndex((item) => !isContext(item)) : 0
  return before
    .slice(Math.max(first, 0))
    .filter((item) => !isInstructions(item))
    .flatMap(toEntries)
}

/** The instructions of the client; newer versions send them as the first item, and no transcript has it. */
function isInstructions({ role, content }) {
  return (
    role === 'developer' && /^You are a coding agent\. This text/.test(content?.[0]?.text ?? '')
  )
}

/** The old version repeats its context before the first prompt of every resume. */
function withoutContextOfResume(input) {
  const end = input.findLastIndex((item) => !isContext(item)) + 1
  // A session that consists of its context only keeps it.
  return end === 0 ? input : input.slice(0, end)
}

function isContext({ role, content }) {
  const text = content?.[0]?.text ?? ''
  return (
    role !== 'assistant' &&
    /^<permissions instructions>|^# AGENTS\.md|^<environment_context>/.test(text)
  )
}

function toEntries(item) {
  const { type = 'message' } = item
  if (type === 'message') {
    const role = item.role === 'developer' ? 'system' : item.role
    return flattenContent(role, item.content)
  }
  if (type === 'agent_message') return flattenContent('assistant', item.content)
  if (type.endsWith('_output')) {
    const output = toOutput(item.output)
    // Only the text says that this output was made up.
    return [toResult(item.call_id, output, output === 'aborted')]
  }
  if (type.endsWith('_call') && item.call_id !== undefined) {
    const { call_id: id, name = type.slice(0, -'_call'.length) } = item
    const input = parseInput(item.arguments ?? item.input ?? item.action)
    return [{ role: 'assistant', kind: 'call', id, name, input }]
  }
  return flattenContent('assistant', [item])
}

function toOutput(output) {
  return output?.content ?? output
}

function parseInput(value) {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
