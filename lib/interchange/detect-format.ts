// Detects the format of a file by its content: names and folders may be anything. A file of no known
// format is refused with a reason that describes it.

import { decodeForeign, type ForeignLine } from './import/decode-foreign.js'
import type { ForeignRecord, ForeignValue, Importer } from './import/importer.js'
import { IMPORTERS } from './known-importers.js'

export const REFUSALS = {
  empty: 'It is empty',
  binary: 'It is not a text file',
  json_array: 'It is one JSON array, not one record per line',
  spread_json: 'It is one JSON object over many lines; `jq -c . FILE` puts it on one',
  tui_log: 'It is a log of what a terminal program did, not of what was said',
  not_json: 'Its lines are not JSON',
  own_log:
    'It is a log of this program: copy it into .transcripts of the store, or import its export',
  unknown_format: 'It is of no known format',
} as const

export type Refusal = keyof typeof REFUSALS

export type Detection =
  | { readonly importer: Importer; readonly first: readonly ForeignRecord[] }
  | { readonly refusal: Refusal }

export interface DetectOptions {
  /** Only these. @default all known importers */
  readonly importers?: readonly Importer[] | undefined
}

/** `lines`: the first lines of a file. */
export function detectFormat(
  lines: readonly ForeignLine[],
  { importers = IMPORTERS }: DetectOptions = {},
): Detection {
  if (lines.some(isBinary)) return { refusal: 'binary' }
  if (isArray(lines)) return { refusal: 'json_array' }
  const isAny = (value: ForeignValue) => importers.some((importer) => importer.isRecord(value))
  const decoded = lines.map((line) => decodeForeign(line, isAny))
  const first = decoded.flatMap(({ records }) => records)
  if (first.length === 0) {
    return { refusal: decoded.every(({ isBlank }) => isBlank) ? 'empty' : shapeOf(lines) }
  }
  const values = first.map(({ value }) => value)
  if (isOwnEvent(values[0]!)) return { refusal: 'own_log' }
  const importer = importers.find((candidate) => candidate.detects(values))
  if (importer !== undefined) return { importer, first }
  return { refusal: values.some(isScreenEvent) ? 'tui_log' : 'unknown_format' }
}

/** Others have the same types, and Codex has a payload too; only our events have these links. */
function isOwnEvent(value: ForeignValue): boolean {
  return ['type', 'uuid', 'prev_uuid', 'payload'].every((name) => name in value)
}

/** Crashes leave runs of NUL in text files; a JSON line holds no other control characters. */
function isBinary({ bytes, start, end }: ForeignLine): boolean {
  const looked = bytes.subarray(start, Math.min(end, start + 1024))
  return looked.some((byte) => byte !== 0 && byte < 0x20 && byte !== 0x09 && byte !== 0x0d)
}

/** Blank lines before it do not count. */
function isArray(lines: readonly ForeignLine[]): boolean {
  return beginningOf(lines).startsWith('[')
}

function shapeOf(lines: readonly ForeignLine[]): Refusal {
  return /^\{\s*(?:"|$)/.test(beginningOf(lines)) ? 'spread_json' : 'not_json'
}

function beginningOf(lines: readonly ForeignLine[]): string {
  return lines
    .map(({ bytes, start, end }) => bytes.toString('utf8', start, Math.min(end, start + 64)))
    .join('\n')
    .replace(/^[\s\ufeff\0]+/, '')
}

/** Programs that log their own screen record the direction of each event. */
function isScreenEvent(value: ForeignValue): boolean {
  const isDirected = typeof value['dir'] === 'string' && typeof value['kind'] === 'string'
  return isDirected || ('frame' in value && 'event' in value)
}
