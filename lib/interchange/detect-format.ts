// Detects the format of a file by its content: names and folders may be anything. A file of no known
// format is refused with a reason that describes it.

import { decodeForeign, type ForeignLine } from './import/decode-foreign.js'
import type { ForeignRecord, ForeignValue, Importer } from './import/importer.js'
import { IMPORTERS } from './known-importers.js'
import { OTHER_AGENTS, recogniseOtherAgent } from './other-agents.js'

export const REFUSALS = {
  empty: 'It is empty',
  binary: 'It is not a text file',
  zstd: 'It is compressed, as newer Codex versions do it; `zstd -d FILE` unpacks it, and what it unpacks can be imported',
  sqlite:
    'It is an SQLite database, in which Crush, Goose, OpenCode and Cursor keep sessions; export the session with its program',
  json_array: 'It is one JSON array, not one record per line',
  spread_json:
    'It is one JSON object over many lines, and damaged or over 32 MiB; `jq -c . FILE` puts it on one line',
  tui_log: 'It is a log of what a terminal program did, not of what was said',
  aider: 'It is a chat history of aider, which is Markdown and cannot be imported',
  not_json: 'Its lines are not JSON',
  own_log:
    'It is a log of this program: copy it into .transcripts of the store, or import its export',
  ...OTHER_AGENTS,
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
  const container = containerOf(lines)
  if (container !== undefined) return { refusal: container }
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
  const other = recogniseOtherAgent(
    values,
    importers.map(({ format }) => format),
  )
  if (other !== undefined) return { refusal: other }
  const importer = importers.find((candidate) => candidate.detects(values))
  if (importer !== undefined) return { importer, first }
  return { refusal: values.some(isScreenEvent) ? 'tui_log' : 'unknown_format' }
}

/** Others have the same types, and Codex has a payload too; only our events have these links. */
function isOwnEvent(value: ForeignValue): boolean {
  return ['type', 'uuid', 'prev_uuid', 'payload'].every((name) => name in value)
}

/** Tab, CR, and LF where lines were joined. */
const SPACES: readonly number[] = [0x09, 0x0a, 0x0d]

/** Crashes leave runs of NUL in text files; a JSON line holds no other control characters. */
function isBinary({ bytes, start, end }: ForeignLine): boolean {
  const looked = bytes.subarray(start, Math.min(end, start + 1024))
  return looked.some((byte) => byte !== 0 && byte < 0x20 && !SPACES.includes(byte))
}

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const SQLITE = Buffer.from('SQLite format 3\0', 'latin1')

/** By the first bytes: what a file is that holds no lines of its own. */
function containerOf([first]: readonly ForeignLine[]): 'zstd' | 'sqlite' | undefined {
  if (first === undefined) return undefined
  const begins = (magic: Buffer) =>
    first.bytes.subarray(first.start, Math.min(first.end, first.start + magic.length)).equals(magic)
  if (begins(ZSTD)) return 'zstd'
  return begins(SQLITE) ? 'sqlite' : undefined
}

/** Blank lines before it do not count. */
function isArray(lines: readonly ForeignLine[]): boolean {
  return beginningOf(lines).startsWith('[')
}

function shapeOf(lines: readonly ForeignLine[]): Refusal {
  const beginning = beginningOf(lines)
  if (beginning.startsWith('# aider chat started at')) return 'aider'
  return /^\{\s*(?:"|$)/.test(beginning) ? 'spread_json' : 'not_json'
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
