// An event as a page shows it: a turn, the work of tools, or one line about something else. The page
// decides how that looks.

import { fieldsOf, type TurnPart, Turns } from '../../chain/index.js'
import { toPlainText } from '../../format/index.js'
import type { ExportedEvent, ExportFacts, ExportItem } from './items.js'

export type Shown =
  | { readonly kind: 'turn'; readonly speaker: string; readonly parts: readonly TurnPart[] }
  /** Calls and results below the turn of the assistant that called. */
  | { readonly kind: 'tools'; readonly parts: readonly TurnPart[] }
  /** Where the context of the model changed. */
  | { readonly kind: 'mark'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }

const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ['user', 'User'],
  ['assistant', 'Assistant'],
  ['system', 'System'],
  ['summary', 'Summary'],
  ['subagent_result', 'Subagent'],
  ['tool_call', 'Assistant'],
  ['tool_result', 'Tool'],
])

/** Takes the events of an export in their order. */
export class ShownEvents {
  readonly #turns = new Turns()

  /** A message of the user with results of tools is shown in several parts. */
  take(event: ExportedEvent): Shown[] {
    if (event.type === 'session_header' || event.type === 'sidechain_header') return []
    if (!SPEAKERS.has(event.type)) {
      const shown = happened(event)
      if (shown.kind === 'mark') this.interrupt()
      return [shown]
    }
    return this.#turns.split(event).map(({ heading, parts }) => {
      if (heading === undefined) return { kind: 'tools', parts }
      return { kind: 'turn', speaker: SPEAKERS.get(heading)!, parts }
    })
  }

  /** Another log begins, or something is shown between the turns. */
  interrupt(): void {
    this.#turns.interrupt()
  }
}

const LABEL_CHARS_MAX = 80

/** The call that a result belongs to, redacted before it is cut. */
export function labelOf(callText: string, redact: (text: string) => string): string {
  const text = toPlainText(redact(toPlainText(callText)))
  return text.length <= LABEL_CHARS_MAX
    ? text
    : `${text.slice(0, LABEL_CHARS_MAX - 1).toWellFormed()}…`
}

function happened({ type, payload }: ExportedEvent): Shown {
  const fields = fieldsOf(payload)
  const say = (name: string) => toPlainText(String(fields[name] ?? '?'))
  switch (type) {
    case 'compaction_boundary': {
      const kept =
        typeof fields['headUuid'] === 'string' ? `kept from ${say('headUuid')}` : 'nothing kept'
      const count = say('messages_summarized')
      const messages = count === '1' ? '1 message' : `${count} messages`
      return mark(`Compacted: ${messages} summarized, ${kept}`)
    }
    case 'rewind':
      return mark(`Rewound to ${say('target_uuid')}`)
    case 'session_resumed':
      return mark('Resumed')
    case 'session_terminator':
      return mark(`Ended: ${say('reason')}`)
    case 'sidechain_terminator':
      return mark(`Ended: ${say('completion_status')}`)
    case 'subagent_spawn':
      return note(`subagent ${say('task_id')} started`)
    case 'session_meta':
      if (fields['title'] !== undefined) return note(`title: ${say('title')}`)
      if (Array.isArray(fields['tags']))
        return note(toPlainText(`tags: ${fields['tags'].join(' ')}`))
      return note(type)
    case 'message_edit': {
      const verb = fields['payload'] === null ? 'Removed' : 'Edited'
      return mark(`${verb}: message ${say('target_uuid')}`)
    }
    case 'summary_revision':
      return note(`summary ${say('summary_event_uuid')} was written again: ${say('text')}`)
    case 'remember':
      return note(`remembered: ${say('text')}`)
    default:
      return note(toPlainText(type))
  }
}

function mark(text: string): Shown {
  return { kind: 'mark', text }
}

function note(text: string): Shown {
  return { kind: 'note', text }
}

/** The table at the top of a page: pairs of a word and its value, without unknown ones. */
export function headOf(facts: ExportFacts): (readonly [string, string])[] {
  const rows: (readonly [string, string | null])[] = [
    ['Session', facts.sessionId],
    ['Project', facts.project],
    ['Harness', facts.harness],
    ['Started', facts.startedAt],
    ['Last activity', facts.lastActivity],
    ['Status', facts.status],
    ['Resumed from', facts.resumedFrom],
    ['Forked from', facts.forkedFrom],
    ['Shows', facts.view === 'history' ? 'the whole history' : 'what the model sees'],
    ['Up to', facts.at],
    ['Secrets', facts.redacted ? 'redacted' : 'not redacted'],
  ]
  return rows.flatMap(([word, value]) => (value === null ? [] : [[word, toPlainText(value)]]))
}

export function damageText(item: Extract<ExportItem, { kind: 'damage' }>): string {
  const bytes = item.length === 1 ? '1 byte' : `${item.length} bytes`
  return `${bytes} at ${item.byteOffset} cannot be read (${item.reason})`
}

/** To the second. */
export function timeOf(ts: unknown): string {
  return typeof ts === 'string' ? toPlainText(ts).replace(/\.\d+Z$/, 'Z') : '-'
}

export interface PageOptions {
  /** Applied to every text before it is added to the page. */
  readonly redact?: ((text: string) => string) | undefined
}

/** The heading of a log; none for that of a session without ancestors. */
export function logTitle({
  channel,
  name,
  isContinued = false,
}: Extract<ExportItem, { kind: 'log' }>): string {
  if (channel === 'sidechain') return `Subagent ${toPlainText(name)}`
  return channel === 'ancestor' || isContinued ? `Session ${toPlainText(name)}` : ''
}
