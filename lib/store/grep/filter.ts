// Selects events by type, role, tool, failure and time. What the beginning of a line shows is checked
// before it is parsed.

import { SessionError } from '../../errors.js'
import { parseGivenTime, timeOf } from '../../format/fields.js'
import type { Envelope, SessionEvent } from '../../format/index.js'
import { findToolParts, hasFailed, TYPES_WITH_ERRORS } from '../text/tool-parts.js'

export interface EventFilterOptions {
  /** Only events of these types. */
  types?: readonly string[] | undefined

  /** Only events of this role: user, assistant, tool or system. */
  role?: string | undefined

  /** Only calls of this tool, and their results. */
  tool?: string | undefined

  /** Only failures: of tools, and of subagents. */
  errors?: boolean | undefined

  /** Only events of this time or later; a time in any spelling that `Date` reads. */
  since?: string | undefined

  /** Only events before this time. */
  until?: string | undefined
}

const TYPES_OF_ROLE: ReadonlyMap<string, readonly string[]> = new Map([
  ['user', ['user']],
  ['assistant', ['assistant']],
  ['tool', ['tool_call', 'tool_result']],
  ['system', ['system', 'summary']],
])
const TYPES_WITH_TOOLS: readonly string[] = ['tool_call', 'tool_result', 'assistant', 'user']

export class EventFilter {
  readonly #types: ReadonlySet<string> | undefined
  readonly #tool: string | undefined
  readonly #isErrors: boolean
  readonly #since: string | undefined
  readonly #until: string | undefined

  constructor({ types, role, tool, errors = false, since, until }: EventFilterOptions = {}) {
    this.#types = intersection([
      types,
      role === undefined ? undefined : typesOfRole(role),
      tool === undefined ? undefined : TYPES_WITH_TOOLS,
      errors ? TYPES_WITH_ERRORS : undefined,
    ])
    this.#tool = tool
    this.#isErrors = errors
    this.#since = parseTime('since', since)
    this.#until = parseTime('until', until)
  }

  get hasTimes(): boolean {
    return this.#since !== undefined || this.#until !== undefined
  }

  /** False only if no payload could make the event match. */
  mayMatch({ type, ts }: Pick<Envelope, 'type' | 'ts'>): boolean {
    if (this.#types !== undefined && !this.#types.has(type)) return false
    if (!this.hasTimes) return true
    const time = timeOf(ts)
    // An event without a time may match.
    if (time === null) return true
    return (
      (this.#since === undefined || time >= this.#since) &&
      (this.#until === undefined || time < this.#until)
    )
  }

  /** `nameOf` returns the tool of a call by its id. */
  matches(event: SessionEvent, nameOf: (toolCallId: string) => string | undefined): boolean {
    if (!this.mayMatch(event)) return false
    if (this.#isErrors && !hasFailed(event)) return false
    if (this.#tool === undefined) return true
    return findToolParts(event).some(
      ({ kind, name, id }) =>
        (name ?? (kind === 'result' && id !== undefined ? nameOf(id) : undefined)) === this.#tool,
    )
  }

  /** Whether a damaged line may be of an event that matches. */
  mayMatchDamaged(raw: string): boolean {
    const types = this.#types
    const isOfType =
      types === undefined || [...types].some((type) => raw.includes(`"type":"${type}"`))
    return isOfType && (this.#tool === undefined || raw.includes(JSON.stringify(this.#tool)))
  }
}

function typesOfRole(role: string): readonly string[] {
  const types = TYPES_OF_ROLE.get(role)
  if (types !== undefined) return types
  const known = [...TYPES_OF_ROLE.keys()].join(', ')
  throw new SessionError('ERR_ARG', `role must be ${known}, not "${role}"`, { role })
}

function intersection(
  lists: readonly (readonly string[] | undefined)[],
): ReadonlySet<string> | undefined {
  const given = lists.filter((list) => list !== undefined)
  const [first, ...others] = given
  if (first === undefined) return undefined
  return new Set(first.filter((type) => others.every((list) => list.includes(type))))
}

function parseTime(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const time = parseGivenTime(value)
  if (time !== null) return time
  const what = `${name} is a time like 2026-01-31 or 2026-01-31T12:00:00Z, not "${value}"`
  throw new SessionError('ERR_ARG', what, { [name]: value })
}
