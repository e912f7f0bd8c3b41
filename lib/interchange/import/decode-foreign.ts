// Decodes one line of a foreign file: usually one record, several where lines were concatenated, and
// the whole records of a damaged line. Every record has the position of its bytes in the source.

import { hash } from 'node:crypto'
import { isObject } from './fields.js'
import type { ForeignRecord, ForeignValue } from './importer.js'

/** `source`: the name of the file, if it is not the first of the session. */
export interface DecodeOptions {
  readonly source?: string | undefined
  /** For a survey, which needs no hashes. */
  readonly isHashed?: boolean | undefined
}

export interface ForeignLine {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  readonly byte_offset: number
}

export interface DecodedLine {
  readonly records: readonly ForeignRecord[]
  /** A part of the line could not be read. */
  readonly isDamaged: boolean
  /** NUL bytes around the record were removed. */
  readonly isRepaired: boolean
  readonly isBlank: boolean
}

const PLAIN = { isDamaged: false, isRepaired: false, isBlank: false }
const BLANK: DecodedLine = { ...PLAIN, records: [], isBlank: true }

// A line of 60 MB may hold a million positions at which a record might begin.
const STARTS_MAX = 256

export function decodeForeign(
  line: ForeignLine,
  isRecord: (value: ForeignValue) => boolean,
  options: DecodeOptions = {},
): DecodedLine {
  const { start, end } = trim(line)
  if (start === end) return BLANK
  const value = parse(line.bytes.toString('utf8', start, end))
  if (isObject(value)) {
    const isRepaired = line.bytes[line.start] === 0 || line.bytes[line.end - 1] === 0
    return { ...PLAIN, records: [toRecord(line, { start, end }, value, options)], isRepaired }
  }
  return { ...PLAIN, records: salvage(line, { start, end }, isRecord, options), isDamaged: true }
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Without a byte order mark, NULs, spaces and CR around it. */
function trim({ bytes, start, end }: ForeignLine): Range {
  if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) start += 3
  while (start < end && isFiller(bytes[start]!)) start++
  while (end > start && isFiller(bytes[end - 1]!)) end--
  return { start, end }
}

function isFiller(byte: number): boolean {
  return byte === 0 || byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === 0x0a
}

function salvage(
  line: ForeignLine,
  { start, end }: Range,
  isRecord: (value: ForeignValue) => boolean,
  options: DecodeOptions,
): ForeignRecord[] {
  const { bytes } = line
  const records: ForeignRecord[] = []
  let at = bytes.indexOf('{"', start)
  for (let tries = 0; at !== -1 && at < end && tries < STARTS_MAX; tries++) {
    const close = closingBrace(bytes, at, end)
    const value = close === -1 ? undefined : parse(bytes.toString('utf8', at, close))
    const isWhole = isObject(value) && isRecord(value)
    if (isWhole) records.push(toRecord(line, { start: at, end: close }, value, options))
    at = bytes.indexOf('{"', isWhole ? close : at + 1)
  }
  return records
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = Buffer.from('"\\{}', 'latin1')

/** The position after the brace that closes the one at `from`; -1 if there is none. */
function closingBrace(bytes: Buffer, from: number, end: number): number {
  let depth = 0
  let isText = false
  for (let at = from; at < end; at++) {
    const byte = bytes[at]
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === OPEN) depth++
    else if (byte === CLOSE && --depth === 0) return at + 1
  }
  return -1
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toRecord(
  line: ForeignLine,
  { start, end }: Range,
  value: ForeignValue,
  { source, isHashed = true }: DecodeOptions,
): ForeignRecord {
  const record = {
    value,
    byteOffset: line.byte_offset + start - line.start,
    length: end - start,
    sha256: isHashed ? hash('sha256', line.bytes.subarray(start, end), 'hex') : '',
  }
  return source === undefined ? record : { ...record, source }
}
