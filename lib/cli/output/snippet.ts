// The text of an event, as much as fits in a row.

import type { SessionEvent } from '../../format/index.js'
import { eventText } from '../../store/index.js'
import { clip, toPlainText } from './plain-text.js'

// Enough for a snippet even when much of it is space that collapses; a text may have megabytes.
const CHARS_READ = 2000

/** One line of at most this many columns. */
export function snippetOf(event: SessionEvent, columns: number): string {
  return clip(toPlainText(eventText(event).slice(0, CHARS_READ)), columns)
}
