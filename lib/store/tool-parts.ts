// The tool calls and results of one event, whichever of the two shapes they are recorded in: as
// events of their own, or as blocks of a provider's messages.

import type { SessionEvent } from '../format/index.js'
import { fieldsOf } from './session-digest-events.js'

export interface ToolPart {
  readonly kind: 'call' | 'result'
  /** Of the call. */
  readonly id: string | undefined
  readonly name: string | undefined
  readonly isError: boolean
}

const TYPES_WITH_TOOLS = new Set(['tool_call', 'tool_result', 'assistant', 'user'])

export function toolPartsOf({ type, payload }: SessionEvent): ToolPart[] {
  if (!TYPES_WITH_TOOLS.has(type)) return []
  const fields = fieldsOf(payload)
  if (type === 'tool_call') return [partOf('call', fields, fields['tool_call_id'])]
  if (type === 'tool_result') return [partOf('result', fields, fields['tool_call_id'])]
  const { content } = fields
  if (!Array.isArray(content)) return []
  return content.flatMap((value) => {
    const block = fieldsOf(value)
    if (block['type'] === 'tool_use') return [partOf('call', block, block['id'])]
    if (block['type'] === 'tool_result') return [partOf('result', block, block['tool_use_id'])]
    return []
  })
}

/** Whether the event tells of something that went wrong. */
export function hasFailed(event: SessionEvent): boolean {
  const { errors, completion_status } = fieldsOf(event.payload)
  if (event.type === 'subagent_result' || event.type === 'sidechain_terminator') {
    return completion_status !== 'completed' || (Array.isArray(errors) && errors.length > 0)
  }
  return toolPartsOf(event).some(({ isError }) => isError)
}

function partOf(
  kind: ToolPart['kind'],
  { name, is_error }: Readonly<Record<string, unknown>>,
  id: unknown,
): ToolPart {
  return {
    kind,
    id: typeof id === 'string' ? id : undefined,
    name: typeof name === 'string' ? name : undefined,
    isError: kind === 'result' && is_error === true,
  }
}
