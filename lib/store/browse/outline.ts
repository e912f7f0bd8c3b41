// One entry of a log in a few words, for a list of all of them: what it is, what it says, and which tool
// calls and subagents it is about.

import { blocksOf } from '../../chain/index.js'
import { fieldsOf, textOf } from '../../format/fields.js'
import { isOnChain, shorten, toPlainText } from '../../format/index.js'
import type { DamageEntry, EventEntry } from '../../log/index.js'
import type { Redactor } from '../../redaction/index.js'
import { eventText } from '../text/event-text.js'
import { findToolParts, hasFailed } from '../text/tool-parts.js'

export interface EntryDamage {
  readonly reason: string
  readonly message: string
}

export interface OutlineEntry {
  readonly offset: number
  readonly length: number
  /** `null`, as all that follows, where the line is damaged. */
  readonly uuid: string | null
  readonly prev: string | null
  readonly type: string | null
  readonly ts: string | null
  /** Part of the conversation. */
  readonly chain: boolean
  /** At most 120 characters of what it says. */
  readonly title: string
  /** It records a failure. */
  readonly error?: true
  /** The tool that is called here; of several, the first. */
  readonly tool?: string
  /** The ids of the tool calls made here. */
  readonly calls?: readonly string[]
  /** The ids of the tool calls answered here. */
  readonly results?: readonly string[]
  /** It holds nothing but results of tool calls. */
  readonly onlyResults?: true
  /** It holds nothing but tool calls. */
  readonly onlyCalls?: true
  /** The subagent it is about. */
  readonly task?: string
  readonly damage?: EntryDamage
}

const TITLE_CHARS_MAX = 120
// A text may have megabytes; this much of it is enough, also if most of it is white space.
const CHARS_READ = 2000
// Finding secrets takes most of the time of an outline.
const CHARS_REDACTED = 400
const WORD_CHARS_MAX = 8192

export function toOutline(
  entry: Pick<EventEntry, 'kind' | 'byte_offset' | 'length' | 'event'> | DamageEntry,
  redactor: Redactor | undefined,
): OutlineEntry {
  const { byte_offset: offset, length } = entry
  if (entry.kind === 'damage') {
    const nothing = { uuid: null, prev: null, type: null, ts: null, chain: false, title: '' }
    return { offset, length, ...nothing, damage: damageOf(entry) }
  }
  const { event } = entry
  const parts = findToolParts(event)
  const idsOf = (wanted: 'call' | 'result') =>
    parts.flatMap(({ kind, id }) => (kind === wanted && id !== undefined ? [id] : []))
  const calls = idsOf('call')
  const results = idsOf('result')
  const kinds = parts.length === 0 ? [] : blocksOf(event).map(({ kind }) => kind)
  const isOnly = (wanted: 'call' | 'result') =>
    kinds.length > 0 && kinds.every((kind) => kind === wanted)
  const tool = parts.find(({ kind, name }) => kind === 'call' && name !== undefined)?.name
  const task = textOf(fieldsOf(event.payload)['task_id'])
  return {
    offset,
    length,
    uuid: textOf(event.uuid),
    prev: textOf(event.prev_uuid),
    type: textOf(event.type),
    ts: textOf(event.ts),
    chain: isOnChain(event),
    title: titleOf(eventText(event), redactor),
    ...(hasFailed(event) && { error: true }),
    ...(tool !== undefined && { tool }),
    ...(calls.length > 0 && { calls }),
    ...(results.length > 0 && { results }),
    ...(isOnly('result') && { onlyResults: true }),
    ...(isOnly('call') && { onlyCalls: true }),
    ...(task !== null && { task }),
  }
}

export function damageOf({ reason, diagnostics }: DamageEntry): EntryDamage {
  return { reason, message: diagnostics[0]?.message ?? '' }
}

/** The beginning of a text on one line, without secrets. */
export function titleOf(text: string, redactor: Redactor | undefined): string {
  // Plain text first: an invisible character could split a secret.
  const plain = firstWords(toPlainText(firstWords(text, CHARS_READ)), CHARS_REDACTED)
  return shorten(redactor === undefined ? plain : redactor.text(plain), TITLE_CHARS_MAX)
}

/** About so many characters, up to the end of a word: a part of a secret could not be found. */
function firstWords(text: string, chars: number): string {
  if (text.length <= chars) return text
  const space = /\s/g
  space.lastIndex = chars
  const end = space.exec(text.slice(0, chars + WORD_CHARS_MAX))?.index
  return text.slice(0, end ?? Math.min(text.length, chars + WORD_CHARS_MAX))
}
