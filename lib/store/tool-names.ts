// Which tool a call was of, by the id that its result names. A file is read for it when the first
// result asks, and only where calls can be.

import { type Line, readLogSync } from '../log/index.js'
import type { OpenLog } from '../log/inside.js'
import { toolPartsOf } from './tool-parts.js'
import { mayBeOneOf } from './wanted-lines.js'

const TYPES_WITH_CALLS = new Set(['tool_call', 'assistant'])

interface NamedCall {
  readonly byte_offset: number
  readonly name: string
}

export class ToolNames {
  readonly #log: OpenLog
  #calls: ReadonlyMap<string, readonly NamedCall[]> | undefined

  constructor(log: OpenLog) {
    this.#log = log
  }

  /** Some providers number their calls anew in every turn: the nearest call before it is meant. */
  nameOf(id: string, before: number): string | undefined {
    this.#calls ??= readCalls(this.#log)
    return this.#calls.get(id)?.findLast(({ byte_offset }) => byte_offset < before)?.name
  }
}

function readCalls(log: OpenLog): ReadonlyMap<string, readonly NamedCall[]> {
  const calls = new Map<string, NamedCall[]>()
  const isWanted = (line: Line) => mayBeOneOf(TYPES_WITH_CALLS, line)
  for (const entry of readLogSync(log, { isWanted })) {
    if (entry.kind !== 'event') continue
    const { byte_offset } = entry
    for (const { kind, id, name } of toolPartsOf(entry.event)) {
      if (kind !== 'call' || id === undefined || name === undefined) continue
      const known = calls.get(id)
      if (known === undefined) calls.set(id, [{ byte_offset, name }])
      else known.push({ byte_offset, name })
    }
  }
  return calls
}
