// What the end of a transcript tells: how it ended, when somebody last spoke, and its title.

import { isHeaderType, isOnChain, isOwnEvent, NEWLINE, type SessionEvent } from '../format/index.js'
import { type EventReader, fieldsOf, knownTimeOf } from './session-digest-events.js'
import { forEachLineBackward, type Window } from './session-digest-windows.js'

const MESSAGE_TYPES = new Set([
  'user',
  'assistant',
  'tool_call',
  'tool_result',
  'system',
  'subagent_result',
  'summary',
])

// Where the bytes stand that tell most lines of ours from one with a title.
const AT_TYPE = '{"type":"'.length
const AT_META = '{"type":"session_'.length
const [BRACE, QUOTE, M, S, T] = Buffer.from('{"mst', 'latin1')

export interface Title {
  readonly title: string
  readonly titleSource: 'user' | 'auto'
}

/** Takes events newest first, and knows when older ones cannot change the answer. */
export class TailScan {
  hasEvent = false
  hasOnChain = false
  /** It says more than that the session was opened. */
  hasOwnEvent = false
  /** A terminator stands behind the last event of the chain. */
  isClosed = false
  /** As the terminator tells it that is the last event of all. */
  events: number | null = null
  #messageTime: string | null = null
  #eventTime: string | null = null
  #isTitleSettled = false
  #userTitle = ''
  #autoTitle = ''

  get lastActivity(): string | null {
    return this.#messageTime ?? this.#eventTime
  }

  /** An automatic title never replaces the user's, whichever is newer. */
  get title(): Title | undefined {
    if (this.#userTitle !== '') return { title: this.#userTitle, titleSource: 'user' }
    if (this.#autoTitle !== '') return { title: this.#autoTitle, titleSource: 'auto' }
    return undefined
  }

  scan(window: Window, reader: EventReader): void {
    const { bytes, start: windowStart, isFileStart } = window
    let low = window.end
    forEachLineBackward(window, (start, end) => {
      const isFirst = isFileStart && start === windowStart
      const isTitle = !this.#isTitleSettled && mayHoldTitle(bytes, start, end)
      const events = isTitle
        ? reader.read(bytes, start, end, isFirst)
        : reader.skim(bytes, start, end, isFirst)
      for (let index = events.length - 1; index >= 0; index--) this.take(events[index]!)
      low = start
      return this.hasOnChain && this.#messageTime !== null
    })
    this.#findTitle(window, low, reader)
  }

  take(event: SessionEvent): void {
    const { type, ts } = event
    const isLast = !this.hasEvent
    this.hasEvent = true
    this.#eventTime ??= knownTimeOf(ts)
    if (MESSAGE_TYPES.has(type)) this.#messageTime ??= knownTimeOf(ts)
    if (type === 'session_terminator' || type === 'sidechain_terminator') {
      if (!this.hasOnChain) this.isClosed = true
      const { events } = fieldsOf(event.payload)
      if (isLast && Number.isSafeInteger(events)) this.events = events as number
    } else if (type === 'session_meta') {
      this.#takeTitle(fieldsOf(event.payload))
    } else if (!isHeaderType(type) && isOnChain(event)) {
      this.hasOnChain = true
      if (isOwnEvent(event)) this.hasOwnEvent = true
    }
  }

  #takeTitle({ title, title_source }: Readonly<Record<string, unknown>>): void {
    if (typeof title !== 'string' || this.#isTitleSettled) return
    if (title_source === 'user') {
      this.#userTitle = title.trim()
      this.#isTitleSettled = true
    } else {
      this.#autoTitle ||= title.trim()
    }
  }

  // Most lines are passed by after a look at their first bytes. A loop of its own and no visitor:
  // for a session without a title this is most of the work.
  #findTitle({ bytes, start, isFileStart }: Window, low: number, reader: EventReader): void {
    for (let end = low - 1; end > start && !this.#isTitleSettled; ) {
      const at = bytes.lastIndexOf(NEWLINE, end - 1)
      if (at < start && !isFileStart) return
      const lineStart = Math.max(at + 1, start)
      if (mayHoldTitle(bytes, lineStart, end)) {
        const events = reader.read(bytes, lineStart, end, lineStart === start && isFileStart)
        for (let index = events.length - 1; index >= 0; index--) {
          const { type, payload } = events[index]!
          if (type === 'session_meta') this.#takeTitle(fieldsOf(payload))
        }
      }
      end = at
    }
  }
}

/** False for most lines after a look at a few bytes; the others are read. */
function mayHoldTitle(bytes: Buffer, start: number, end: number): boolean {
  const isOurs =
    bytes[start] === BRACE && bytes[start + 2] === T && bytes[start + AT_TYPE - 1] === QUOTE
  if (isOurs) return bytes[start + AT_TYPE] === S && bytes[start + AT_META] === M
  // Written by somebody else, who may put the type anywhere, or damaged.
  return bytes.subarray(start, end).includes('session_meta')
}
