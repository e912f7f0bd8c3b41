// The tool calls and results of an event, in either of the two shapes they are recorded in: as
// events of their own, or as blocks of a provider's messages.

import { fieldsOf } from '../../format/fields.js'
import type { SessionEvent } from '../../format/index.js'
import { type Line, readLogSync } from '../../log/index.js'
import type { OpenLog } from '../../log/internal.js'
import { mayHaveType } from '../prefilter/type-prefilter.js'

export interface ToolPart {
  readonly kind: 'call' | 'result'
  /** Of the call. */
  readonly id: string | undefined
  readonly name: string | undefined
  readonly isError: boolean
}

const TYPES_WITH_TOOLS = new Set(['tool_call', 'tool_result', 'assistant', 'user'])

export function findToolParts({ type, payload }: SessionEvent): ToolPart[] {
  if (!TYPES_WITH_TOOLS.has(type)) return []
  const fields = fieldsOf(payload)
  if (type === 'tool_call') return [toPart('call', fields, fields['tool_call_id'])]
  if (type === 'tool_result') return [toPart('result', fields, fields['tool_call_id'])]
  const { content } = fields
  if (!Array.isArray(content)) return []
  return content.flatMap((value) => {
    const block = fieldsOf(value)
    if (block['type'] === 'tool_use') return [toPart('call', block, block['id'])]
    if (block['type'] === 'tool_result') return [toPart('result', block, block['tool_use_id'])]
    return []
  })
}

/** The types of events that may record a failure. */
export const TYPES_WITH_ERRORS: readonly string[] = [
  'tool_result',
  'user',
  'subagent_result',
  'sidechain_terminator',
]

/** Whether the event records a failure. */
export function hasFailed(event: SessionEvent): boolean {
  const { errors, completion_status } = fieldsOf(event.payload)
  if (event.type === 'subagent_result' || event.type === 'sidechain_terminator') {
    return completion_status !== 'completed' || (Array.isArray(errors) && errors.length > 0)
  }
  return findToolParts(event).some(({ isError }) => isError)
}

function toPart(
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

const TYPES_WITH_CALLS = new Set(['tool_call', 'assistant'])

interface NamedCall {
  readonly byte_offset: number
  readonly name: string
}

/**
 * The tools of calls, by the id that their results name. A file is read when the first result needs
 * it, and only its lines that may contain calls.
 */
export class ToolNames {
  readonly #log: OpenLog
  #calls: ReadonlyMap<string, readonly NamedCall[]> | undefined

  constructor(log: OpenLog) {
    this.#log = log
  }

  /** Some providers repeat ids in every turn, so this is the nearest call before the result. */
  findName(id: string, before: number): string | undefined {
    this.#calls ??= readCalls(this.#log)
    return this.#calls.get(id)?.findLast(({ byte_offset }) => byte_offset < before)?.name
  }
}

function readCalls(log: OpenLog): ReadonlyMap<string, readonly NamedCall[]> {
  const calls = new Map<string, NamedCall[]>()
  const isWanted = (line: Line) => mayHaveType(TYPES_WITH_CALLS, line)
  for (const entry of readLogSync(log, { isWanted })) {
    if (entry.kind !== 'event') continue
    const { byte_offset } = entry
    for (const { kind, id, name } of findToolParts(entry.event)) {
      if (kind !== 'call' || id === undefined || name === undefined) continue
      const known = calls.get(id)
      if (known === undefined) calls.set(id, [{ byte_offset, name }])
      else known.push({ byte_offset, name })
    }
  }
  return calls
}
