// Reads the start of a transcript: its header, and the first prompt, which is the title of a session
// without one.

import { fieldsOf } from '../../format/fields.js'
import {
  isHeaderType,
  payloadOffset,
  READ_LINE_BYTES_MAX,
  readEnvelope,
  type SessionEvent,
} from '../../format/index.js'
import {
  forEachLine,
  type OpenFile,
  readLonger,
  readWideHead,
  TAIL_BYTES,
  type Window,
} from './file-windows.js'
import { findPlainPrompt, PROMPT_CODE_POINTS_MAX } from './first-prompt-fast-path.js'
import type { EventReader } from './skim-events.js'

/** Longer than any prompt of 80 code points, however many blanks are between its words. */
const PROMPT_CHARS_SHORT = 176
const PROMPT_CHARS_READ = 8192

const HEADER_NAMES = ['"session_header"', '"sidechain_header"']

/** White space and control characters. */
const BLANKS = /[\s\u0000-\u001f\u007f-\u009f]+/g
/** Some of them that is not a single space. Most prompts have none, and looking is cheap. */
const ODD_BLANK = /[^\S ]|[\u0000-\u001f\u007f-\u009f]| {2}/
const SURROGATE = /[\ud800-\udfff]/

interface HeadFacts {
  readonly head: Window
  /** The session's own: in a fork those of its sources follow. */
  readonly header: SessionEvent | undefined
  readonly hasEvent: boolean
  /** The window ends inside of the header. */
  readonly isHeaderCut: boolean
  /** The offset after the header, where the first prompt may be. */
  readonly promptsFrom: number
}

/** The header, with a longer window where it does not fit into the first one. */
export function readHeader(file: OpenFile, window: Window, reader: EventReader): HeadFacts {
  let facts = headFacts(window, reader)
  while (facts.isHeaderCut && facts.head.end - facts.head.start < READ_LINE_BYTES_MAX) {
    facts = headFacts(readLonger(file, facts.head), reader)
  }
  return facts
}

function headFacts(head: Window, reader: EventReader): HeadFacts {
  let header: SessionEvent | undefined
  let hasEvent = false
  let isHeaderCut = false
  let promptsFrom = head.start
  forEachLine(head, head.start, (start, end, isCut) => {
    if (isCut) {
      const line = head.bytes.subarray(start, end)
      isHeaderCut = !hasEvent && HEADER_NAMES.some((name) => line.includes(name))
      return true
    }
    const isFirst = start === head.start
    const events = reader.read(head.bytes, start, end, isFirst)
    if (events.length > 0) hasEvent = true
    header = events.find(({ type }) => isHeaderType(type))
    if (header !== undefined && events.length === 1) promptsFrom = end + 1
    return header !== undefined
  })
  return { head, header, hasEvent, isHeaderCut, promptsFrom }
}

/** The first prompt of a session, which other events may precede: in the first 64 KiB. */
export function readTitlePrompt(
  file: OpenFile,
  { head, promptsFrom }: Pick<HeadFacts, 'head' | 'promptsFrom'>,
  tail: Window,
  reader: EventReader,
): string | null {
  const prompt = readFirstPrompt(head, promptsFrom, reader)
  if (prompt !== null || head.isFileEnd || head.end - head.start >= TAIL_BYTES) return prompt
  const wide = readWideHead(file, tail)
  return readFirstPrompt(wide, wide.start + promptsFrom - head.start, reader)
}

/** The first words of the user, on one line; `null` when there are none in the window. */
export function readFirstPrompt(head: Window, from: number, reader: EventReader): string | null {
  const { bytes } = head
  let prompt = findPlainPrompt(head, from) ?? null
  if (prompt !== null) return prompt
  forEachLine(head, from, (start, end, isCut) => {
    if (isCut) {
      prompt = promptOfCutLine(bytes, start, end)
      return true
    }
    for (const event of reader.read(bytes, start, end)) {
      if (event.type === 'user') prompt ??= promptOf(fieldsOf(event.payload)['content'])
    }
    return prompt !== null
  })
  return prompt
}

// A prompt with a picture in it is longer than the window, and its first words still are a title.
const USER_PAYLOAD = new RegExp(
  '^\\{(?:"\\w+":"[^"\\\\]*",)*' +
    '"content":(?:\\[\\{"type":"text","text":)?' +
    '"((?:[^"\\\\\0-\x1f]|\\\\u[0-9a-fA-F]{4}|\\\\["\\\\/bfnrt])*)(")?',
)

function promptOfCutLine(bytes: Buffer, start: number, end: number): string | null {
  const envelope = readEnvelope(bytes, start, end)
  if (envelope?.type !== 'user') return null
  const payload = bytes.toString('utf8', start + payloadOffset(envelope), end)
  const [, text, quote] = USER_PAYLOAD.exec(payload) ?? []
  if (text === undefined) return null
  const isCut = quote === undefined
  // The last character of what is cut may be half of one.
  const whole = isCut ? text.replace(/(?:\ufffd|\\ud[89ab][0-9a-f]{2})$/i, '') : text
  return clip(JSON.parse(`"${whole}"`) as string, { isCut })
}

function promptOf(content: unknown): string | null {
  if (typeof content === 'string') return clip(content)
  if (!Array.isArray(content)) return null
  for (const block of content) {
    const { type, text } = fieldsOf(block)
    const prompt = type === 'text' && typeof text === 'string' ? clip(text) : null
    if (prompt !== null) return prompt
  }
  return null
}

function clip(text: string, { isCut = false } = {}): string | null {
  // The beginning is enough, unless it is all blanks.
  let line = oneLine(text.slice(0, PROMPT_CHARS_SHORT))
  const isShort = line.length <= 2 * PROMPT_CODE_POINTS_MAX && text.length > PROMPT_CHARS_SHORT
  if (isShort) line = oneLine(text.slice(0, PROMPT_CHARS_READ))
  if (line === '') return null
  if (line.length <= PROMPT_CODE_POINTS_MAX && !isCut) return line
  const start = line.slice(0, 2 * PROMPT_CODE_POINTS_MAX + 2)
  if (!SURROGATE.test(start)) return `${start.slice(0, PROMPT_CODE_POINTS_MAX - 1)}…`
  const characters = [...start]
  if (characters.length <= PROMPT_CODE_POINTS_MAX && !isCut) return line
  return `${characters.slice(0, PROMPT_CODE_POINTS_MAX - 1).join('')}…`
}

function oneLine(text: string): string {
  const wellFormed = text.toWellFormed()
  return (ODD_BLANK.test(wellFormed) ? wellFormed.replace(BLANKS, ' ') : wellFormed).trim()
}
