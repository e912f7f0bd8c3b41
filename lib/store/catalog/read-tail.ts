// Reads the end of a transcript: whether it was closed, its last activity, its title and its tags.

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
import { toTags } from './session-meta.js'
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
  /** The newest list; `null` if the session was never tagged. */
  tags: readonly string[] | null = null

  get lastActivity(): string | null {
    return this.#messageTime ?? this.#eventTime
  }

  /** An automatic title never replaces the user's, whichever is newer. */
  get title(): Title | undefined {
    if (this.#userTitle !== '') return { title: this.#userTitle, titleSource: 'user' }
    if (this.#autoTitle !== '') return { title: this.#autoTitle, titleSource: 'auto' }
    return undefined
  }

  /** Whether an older title or older tags could still count. */
  get isMetaOpen(): boolean {
    return !this.#isTitleSettled || this.tags === null
  }

  /** For an event that is older than those of the windows. */
  addMeta({ type, payload }: SessionEvent): void {
    if (type === 'session_meta') this.#takeMeta(fieldsOf(payload))
  }

  scan(window: Window, reader: EventReader): void {
    const { bytes, start: windowStart, isFileStart } = window
    let low = window.end
    forEachLineBackward(window, (start, end) => {
      const isFirst = isFileStart && start === windowStart
      const isMeta = this.isMetaOpen && mayBeMeta(bytes, start, end)
      const events = isMeta
        ? reader.read(bytes, start, end, isFirst)
        : reader.skim(bytes, start, end, isFirst)
      for (const event of events.reverse()) this.add(event)
      low = start
      return this.hasOnChain && this.#messageTime !== null
    })
    this.#findMeta(window, low, reader)
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
      this.#takeMeta(fieldsOf(event.payload))
    } else if (!isHeaderType(type) && isOnChain(event)) {
      this.hasOnChain = true
      if (isOwnEvent(event)) this.hasOwnEvent = true
    }
  }

  #takeMeta({ title, title_source, tags }: Readonly<Record<string, unknown>>): void {
    this.tags ??= toTags(tags) ?? null
    if (typeof title !== 'string' || this.#isTitleSettled) return
    if (title_source === 'user') {
      this.#userTitle = title.trim()
      this.#isTitleSettled = true
    } else {
      this.#autoTitle ||= title.trim()
    }
  }

  /** For a session without a title or without tags this is most of the work. */
  #findMeta(window: Window, low: number, reader: EventReader): void {
    const { bytes, start: windowStart, isFileStart } = window
    if (!this.isMetaOpen) return
    forEachLineBackward({ ...window, end: low - 1 }, (start, end) => {
      if (!mayBeMeta(bytes, start, end)) return false
      const events = reader.read(bytes, start, end, isFileStart && start === windowStart)
      for (const event of events.reverse()) this.addMeta(event)
      return !this.isMetaOpen
    })
  }
}

/** False for most lines after comparing a few bytes; the others are decoded. */
export function mayBeMeta(bytes: Buffer, start: number, end: number): boolean {
  // Another program may put the type anywhere; so may a damaged line.
  return hasType(bytes, start, SESSION_META) ?? bytes.subarray(start, end).includes(SESSION_META)
}
