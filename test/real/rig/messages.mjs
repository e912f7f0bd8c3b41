// One shape for what a model is sent, whatever program sends it: a list with one entry for each block.
// The oracles make it of a client's request, `toMessageList` makes it of our projection. Imports nothing
// of lib/, so that a mistake there cannot hide itself.

/** Our messages, as `resume --mode inspect --json` and the library return them. */
export function toMessageList(messages) {
  return messages.flatMap(({ type, payload }) => {
    switch (type) {
      case 'user':
      case 'assistant':
      case 'system':
        return flattenContent(type, payload.content)
      case 'summary':
        return flattenContent('user', payload.text)
      case 'tool_call':
        return [
          {
            role: 'assistant',
            kind: 'call',
            id: payload.tool_call_id,
            name: payload.name,
            input: payload.input,
          },
        ]
      case 'tool_result':
        return [toResult(payload.tool_call_id, payload.content, payload.is_error)]
      case 'subagent_result':
        return [{ role: 'user', kind: 'text', text: payload.summary }]
      default:
        return [{ role: 'user', kind: 'other', text: type }]
    }
  })
}

/** A content of any of the providers: a text, or blocks. */
export function flattenContent(role, content) {
  if (typeof content === 'string')
    return content === '' ? [] : [{ role, kind: 'text', text: content }]
  return (content ?? []).flatMap((block) => flattenBlock(role, block))
}

function flattenBlock(role, block) {
  switch (block.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return block.text === '' ? [] : [{ role, kind: 'text', text: block.text }]
    case 'thinking':
      return [{ role, kind: 'thinking', text: block.thinking }]
    case 'redacted_thinking':
      return [{ role, kind: 'thinking', text: '' }]
    case 'reasoning':
      return [
        { role, kind: 'thinking', text: (block.summary ?? []).map(({ text }) => text).join('\n') },
      ]
    case 'tool_use':
      return [{ role, kind: 'call', id: block.id, name: block.name, input: block.input }]
    case 'toolCall':
      return [{ role, kind: 'call', id: block.id, name: block.name, input: block.arguments }]
    case 'tool_result':
      return [toResult(block.tool_use_id, block.content, block.is_error)]
    case 'image':
    case 'image_url':
    case 'input_image':
      return [{ role, kind: 'image' }]
    default:
      return [{ role, kind: 'other', text: String(block.type) }]
  }
}

/** A tool result. Several texts count as one, joined by newlines. */
export function toResult(id, content, isError) {
  return {
    role: 'user',
    kind: 'result',
    id,
    text: textOfResult(content),
    ...(isError === true && { isError }),
  }
}

function textOfResult(content) {
  if (typeof content === 'string') return content
  if (!Array.isArray(content))
    return content === undefined || content === null ? '' : JSON.stringify(content)
  return content
    .map((block) => (typeof block === 'string' ? block : (block.text ?? `[${block.type}]`)))
    .join('\n')
}
