// What Gemini CLI sends on resume, as a message list. Imports nothing of lib/.

import { toResult } from '../rig/messages.mjs'

/** Texts that the client makes anew on every resume. */
export const WORDING = []

/**
 * The messages before the probe. Not in the list:
 * - the context of the session (date, folders, files), which the client computes for every start and
 *   sends as the first part;
 * - thought signatures, which the client replaces by a constant;
 * - a second result of the same call, and the pictures after it: the client stores each result with its
 *   call and as a message of its own, and sends both. The model is sent the same bytes again.
 */
export function toTheirs({ contents }, probe) {
  const list = contents.flatMap(({ role, parts }) => parts.map((part) => ({ role, part })))
  const end = list.findLastIndex(({ part }) => part.text === probe)
  if (end === -1) throw new Error('the probe is not in the request')
  const answered = new Set()
  let isRepeated = false
  return list.slice(0, end).flatMap(({ role, part }) => {
    const { functionResponse, inlineData, text } = part
    if (text?.startsWith('<session_context>')) return []
    if (functionResponse !== undefined) {
      isRepeated = answered.has(functionResponse.id)
      answered.add(functionResponse.id)
    } else if (inlineData === undefined) isRepeated = false
    return isRepeated ? [] : toEntries(role === 'model' ? 'assistant' : role, part)
  })
}

function toEntries(role, part) {
  const { functionCall, functionResponse } = part
  if (functionCall !== undefined) {
    const { id, name, args = {} } = functionCall
    return [{ role, kind: 'call', id: toStoredId(id, name), name, input: args }]
  }
  if (functionResponse !== undefined) {
    const { id, name, response = {} } = functionResponse
    const { output, error } = response
    const isError = typeof error === 'string'
    return [toResult(toStoredId(id, name), isError ? error : (output ?? response), isError)]
  }
  if (part.thought === true) return [{ role, kind: 'thinking', text: part.text }]
  if (typeof part.text === 'string') {
    return part.text === '' ? [] : [{ role, kind: 'text', text: part.text }]
  }
  if (part.inlineData !== undefined) return [{ role, kind: 'image' }]
  return [{ role, kind: 'other', text: Object.keys(part)[0] }]
}

/** The client puts the name of the tool before every id that it stores, and takes it off in requests. */
function toStoredId(id, name) {
  return id.startsWith(`${name}__`) ? id : `${name}__${id}`
}
