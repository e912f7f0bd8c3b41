// What the model asked a tool to do, and what came of it: in the log of the session, or of the
// subagent that asked.

import { isSessionError } from '../../errors.js'
import { recordInSidechain, recordTold, type Told } from '../../session/told.js'
import { type HookAnswer, type HookContext, type HookHandler, NOTHING } from '../hook-context.js'
import { type HookFields, textIn, valueIn } from '../hook-input.js'
import { subagentIn } from '../subagent-input.js'

export const onToolCall: HookHandler = (context) => {
  const { fields } = context
  return record(context, 'tool_call', { input: inputIn(fields) ?? {} })
}

export const onToolResult: HookHandler = (context) => {
  const { fields } = context
  const content = valueIn(fields, 'tool_response', 'toolResponse', 'tool_result', 'tool_output')
  const { duration_ms } = fields
  const lasted = typeof duration_ms === 'number' ? { duration_ms } : {}
  return record(context, 'tool_result', { content: content ?? '', is_error: false, ...lasted })
}

export const onToolFailure: HookHandler = (context) => {
  const { fields } = context
  const content = valueIn(fields, 'error', 'tool_response', 'toolResponse')
  const interrupted = fields['is_interrupt'] === true ? { is_interrupt: true } : {}
  return record(context, 'tool_result', { content: content ?? '', is_error: true, ...interrupted })
}

async function record(
  context: HookContext,
  type: 'tool_call' | 'tool_result',
  said: Readonly<Record<string, unknown>>,
): Promise<HookAnswer> {
  try {
    return await recordAs(context, type, said)
  } catch (error) {
    if (!isSessionError(error, 'ERR_SERIALIZE')) throw error
    // Nested deeper than a log takes: kept as the text that it came as.
    const asText = Object.entries(said).map(([key, value]) => [
      key,
      typeof value === 'object' ? JSON.stringify(value) : value,
    ])
    return recordAs(context, type, Object.fromEntries(asText) as typeof said)
  }
}

async function recordAs(
  { name: source, fields, session_id, options }: HookContext,
  type: 'tool_call' | 'tool_result',
  said: Readonly<Record<string, unknown>>,
): Promise<HookAnswer> {
  const nativeId = textIn(fields, 'tool_use_id', 'toolUseId', 'tool_call_id')
  const name = textIn(fields, 'tool_name', 'toolName') ?? 'unknown'
  const tool_call_id = nativeId ?? inventedId(name, inputIn(fields))
  const payload = { tool_call_id, name, ...said }
  const told: Told = { session_id, source, nativeId, events: [{ type, payload }] }
  const subagent = subagentIn(fields, session_id)
  const { status } = await (subagent === undefined
    ? recordTold(told, options)
    : recordInSidechain({ ...told, subagent }, options))
  return { ...NOTHING, status }
}

function inputIn(fields: HookFields): unknown {
  return valueIn(fields, 'tool_input', 'toolInput')
}

/** Call and result tell the same tool and the same input, and so they find each other. */
function inventedId(name: string, input: unknown): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  const text = JSON.stringify([name, input])
  return `hook_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}
