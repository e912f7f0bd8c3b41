// What pi sends to its model, as a message list. Imports nothing of lib/.

import { flattenContent, toResult } from '../rig/messages.mjs'

/** Texts that pi makes anew for every request. */
export const WORDING = [
  {
    // The session holds the bare summary; our summary message is that text.
    name: 'summary preamble',
    theirs:
      /^The conversation history before this point was compacted into the following summary:\n\n<summary>\n(.*)\n<\/summary>$/s,
    ours: /^(.*)$/s,
  },
  {
    name: 'placeholder of an interrupted tool',
    theirs: /^No result provided$/,
    ours: /^no result recorded; the call may or may not have run; verify before repeating$/,
  },
]

/** The messages of a request before the one that holds `probe`. */
export function listSent({ messages }, probe, { hasPrompt }) {
  const end = messages.findLastIndex(
    ({ role, content }) => role === 'user' && JSON.stringify(content).includes(probe),
  )
  if (end < 0) throw new Error(`no request holds ${probe}`)
  // Before 1.0 the system prompt is in no session file: pi makes it anew at every start.
  const start = !hasPrompt && isSystem(messages[0]) ? 1 : 0
  const listed = []
  for (const message of messages.slice(start, end)) {
    if (isImagesOfResult(message)) addImages(listed.at(-1), message.content.length - 1)
    else listed.push(...toEntries(message))
  }
  return listed
}

function isSystem({ role }) {
  return role === 'system' || role === 'developer'
}

/** This protocol has no images in results: pi sends them in a message of their own, under a caption. */
function isImagesOfResult({ role, content }) {
  return role === 'user' && content?.[0]?.text === 'Attached image(s) from tool result:'
}

/** As `toResult` lists the images of a result. */
function addImages(result, count) {
  if (result?.kind !== 'result') throw new Error('images of results without a result before them')
  result.text += '\n[image]'.repeat(count)
}

function toEntries(message) {
  const { role, content, reasoning_content, tool_calls = [], tool_call_id } = message
  // The protocol does not say whether a result is an error.
  if (role === 'tool') return [{ ...toResult(tool_call_id, content), isError: null }]
  if (isSystem(message)) return flattenContent('system', content)
  return [
    ...(reasoning_content ? [{ role, kind: 'thinking', text: reasoning_content }] : []),
    ...flattenContent(role, content),
    ...tool_calls.map(({ id, function: { name, arguments: input } }) => ({
      role,
      kind: 'call',
      id,
      name,
      input: JSON.parse(input),
    })),
  ]
}
