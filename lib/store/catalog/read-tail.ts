// Reads the end of a transcript: whether it was closed, its last activity, and its title.

import { fieldsOf, knownTimeOf } from '../../format/fields.js'
import {
  hasType,
  isHeaderType,
  isOnChain,
  isOwnEvent,
  MESSAGE_TYPES,
  type SessionEvent,
} from '../../format/index.js'
import { forEachLineBackward, type Window } from './file-windows.js'
import type { EventReader } from './skim-events.js'

const SESSION_META = Buffer.from('session_meta', 'latin1')

interface Title {
  readonly title: string
  readonly titleSource: 'user' | 'auto'
}

/** Reads events newest first, and stops when older ones cannot change the result. */
export class TailScan {
  hasEvent = false
  hasOnChain = false
  /** An event of the session itself, not only of its opening. */
  hasOwnEvent = false
  /** A terminator follows the last event of the chain. */
  isClosed = false
  /** The count in a terminator that is the last event of the file. */
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

  /** Whether an older title could still count. */
  get isTitleOpen(): boolean {
    return !this.#isTitleSettled
  }

  /** For an event that is older than those of the windows. */
  addTitle({ type, payload }: SessionEvent): void {
    if (type === 'session_meta') this.#takeTitle(fieldsOf(payload))
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
      for (const event of events.reverse()) this.add(event)
      low = start
      return this.hasOnChain && this.#messageTime !== null
    })
    this.#findTitle(window, low, reader)
  }

  add(event: SessionEvent): void {
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

  /** For a session without a title this is most of the work. */
  #findTitle(window: Window, low: number, reader: EventReader): void {
    const { bytes, start: windowStart, isFileStart } = window
    if (this.#isTitleSettled) return
    forEachLineBackward({ ...window, end: low - 1 }, (start, end) => {
      if (!mayHoldTitle(bytes, start, end)) return false
      const events = reader.read(bytes, start, end, isFileStart && start === windowStart)
      for (const event of events.reverse()) this.addTitle(event)
      return this.#isTitleSettled
    })
  }
}

/** False for most lines after comparing a few bytes; the others are decoded. */
export function mayHoldTitle(bytes: Buffer, start: number, end: number): boolean {
  // Another program may put the type anywhere; so may a damaged line.
  return hasType(bytes, start, SESSION_META) ?? bytes.subarray(start, end).includes(SESSION_META)
}
