// Lines in, counts out: in all, by group, and by tool.

import type { SessionEvent } from '../format/index.js'
import { searchBuffer } from '../log/inside.js'
import type { EventFilter } from './grep-filter.js'
import { fieldsOf, textOf, timeOf } from './session-digest-events.js'
import { ForkCopies } from './stats-copies.js'
import type { StatsFile } from './stats-files.js'
import { type CountedEvent, countedLines } from './stats-lines.js'
import { addTokens, newTally, savedBy, type Tally, type TokenCounts, tokensOf } from './tally.js'
import { hasFailed, toolPartsOf } from './tool-parts.js'

export type StatsGrouping = 'session' | 'project' | 'day' | 'type'

export interface StatsGroup extends Tally {
  /** `null` for sessions without a project, and for what tells no time or type. */
  readonly key: string | null
}

export interface ToolStats {
  readonly name: string
  calls: number
  errors: number
}

/** What is known of a file while it is counted. */
interface FileState {
  readonly file: StatsFile
  /** Tools by the ids of their calls. */
  readonly calls: Map<string, string>
  /** A reply that is recorded in several events repeats its tokens in each. */
  lastReply: { readonly id: string; readonly tokens: Readonly<TokenCounts> } | undefined
}

const UNKNOWN_TOOL = '?'

export class Counting {
  readonly total = newTally()
  readonly #by: StatsGrouping
  readonly #filter: EventFilter
  readonly #copies = new ForkCopies()
  readonly #buffer = searchBuffer()
  readonly #groups = new Map<string | null, StatsGroup>()
  readonly #tools = new Map<string, ToolStats>()

  constructor(by: StatsGrouping, filter: EventFilter) {
    this.#by = by
    this.#filter = filter
  }

  addFile(file: StatsFile): void {
    const state: FileState = { file, calls: new Map(), lastReply: undefined }
    const isCopy = this.#copies.of(file)
    for (const line of countedLines(file.path, this.#buffer)) {
      if (line.kind === 'event') this.#addEvent(line, state, isCopy(line.envelope))
      // Damage has no time, so it counts only where all of time does.
      else if (!this.#filter.hasTimes) {
        this.#add(this.#groupOf(file, null), (tally) => {
          tally.bytes += line.bytes
          tally.damaged++
        })
      }
    }
  }

  groups(): StatsGroup[] {
    const isByDay = this.#by === 'day'
    return [...this.#groups.values()].sort((one, other) =>
      isByDay ? compare(one.key ?? '', other.key ?? '') : other.bytes - one.bytes,
    )
  }

  tools(): ToolStats[] {
    return [...this.#tools.values()].sort(
      (one, other) => other.calls - one.calls || compare(one.name, other.name),
    )
  }

  #addEvent(line: CountedEvent, state: FileState, isCopy: boolean): void {
    if (!this.#filter.mayTake(line.envelope)) return
    const group = this.#groupOf(state.file, line.envelope)
    this.#add(group, (tally) => {
      tally.bytes += line.bytes
      if (!isCopy) tally.events++
    })
    if (!isCopy && line.event !== undefined) this.#addPayload(line.event, state, group)
  }

  #addPayload(event: SessionEvent, state: FileState, group: StatsGroup): void {
    const { calls, errors } = this.#addTools(event, state)
    const isBoundary = event.type === 'compaction_boundary'
    const tokens = newTokens(event, state)
    this.#add(group, (tally) => {
      tally.toolCalls += calls
      tally.errors += errors
      addTokens(tally.tokens, tokens)
      if (!isBoundary) return
      tally.compactions++
      tally.tokensSaved += savedBy(event)
    })
  }

  #addTools(event: SessionEvent, state: FileState): { calls: number; errors: number } {
    // The ending of a subagent says the same in its own log.
    if (event.type === 'subagent_result') return { calls: 0, errors: hasFailed(event) ? 1 : 0 }
    let calls = 0
    let errors = 0
    for (const { kind, id = '', name, isError } of toolPartsOf(event)) {
      if (kind === 'call') {
        calls++
        if (name !== undefined) state.calls.set(id, name)
        this.#toolOf(name ?? UNKNOWN_TOOL).calls++
      } else if (isError) {
        errors++
        this.#toolOf(name ?? state.calls.get(id) ?? UNKNOWN_TOOL).errors++
      }
    }
    return { calls, errors }
  }

  #toolOf(name: string): ToolStats {
    const known = this.#tools.get(name) ?? { name, calls: 0, errors: 0 }
    this.#tools.set(name, known)
    return known
  }

  #groupOf(file: StatsFile, envelope: CountedEvent['envelope'] | null): StatsGroup {
    const key = this.#keyOf(file, envelope)
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = { key, ...newTally() }
      this.#groups.set(key, group)
    }
    return group
  }

  #keyOf(file: StatsFile, envelope: CountedEvent['envelope'] | null): string | null {
    if (this.#by === 'session') return file.session_id
    if (this.#by === 'project') return file.project
    if (this.#by === 'type') return envelope?.type ?? null
    return timeOf(envelope?.ts)?.slice(0, DAY_CHARS) ?? null
  }

  #add(group: StatsGroup, add: (tally: Tally) => void): void {
    add(group)
    add(this.total)
  }
}

const DAY_CHARS = '2026-01-31'.length

/** Of a reply in several events, what the last of them adds to those before. */
function newTokens(event: SessionEvent, state: FileState): Readonly<TokenCounts> {
  const { tokens: added } = newTally()
  if (event.type !== 'assistant') return added
  const tokens = tokensOf(event)
  addTokens(added, tokens)
  const id = textOf(fieldsOf(event.payload)['message_id'])
  if (id !== null && state.lastReply?.id === id) addTokens(added, state.lastReply.tokens, -1)
  state.lastReply = id === null ? undefined : { id, tokens }
  return added
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
