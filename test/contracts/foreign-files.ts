// Foreign files in memory: their lines, what an importer makes of them, and what a model would see.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type LogProjection, partsOf, projectLog } from '../../lib/chain/index.js'
import {
  decodeForeign,
  type ForeignLine,
  type ForeignRecord,
  findImporter,
  HEADER_UUID,
  type ImportedEvent,
  type Importer,
  Losses,
} from '../../lib/interchange/index.js'

export const FOREIGN = fileURLToPath(new URL('../../fixtures/import/', import.meta.url))

export interface ForeignCase {
  readonly name: string
  readonly path: string
  readonly bytes: Buffer
  readonly expected: Expected
}

/** What a fixture must become. Counts that are not named must not occur. */
export interface Expected {
  readonly messages?: readonly string[]
  readonly texts?: readonly string[]
  readonly dropped?: Record<string, number>
  readonly repaired?: Record<string, number>
  readonly title?: string
  readonly degraded?: boolean
  readonly tasks?: Record<string, readonly string[]>
}

export function foreignCases(format: string): ForeignCase[] {
  const folder = join(FOREIGN, format)
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'))
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((file) => {
      const name = basename(file, '.jsonl')
      const path = join(folder, file)
      return { name, path, bytes: readFileSync(path), expected: expected[name] }
    })
}

export function linesOf(bytes: Buffer): ForeignLine[] {
  const lines: ForeignLine[] = []
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start)
    const end = newline === -1 ? bytes.length : newline
    lines.push({ bytes, start, end, byte_offset: start })
    start = end + 1
  }
  return lines
}

export interface MadeOf {
  readonly records: readonly ForeignRecord[]
  readonly events: readonly ImportedEvent[]
  readonly losses: Losses
  /** Positions of records that became nothing, or less than they were. */
  readonly noted: ReadonlySet<number>
}

/** What the session module does with an importer, without files. */
export function runImporter(importer: Importer, bytes: Buffer, name = 'file'): MadeOf {
  const lines = linesOf(bytes)
  const decoded = lines.map((line) => decodeForeign(line, importer.isRecord))
  const records = decoded.flatMap((line) => line.records)
  const events: ImportedEvent[] = []
  const losses = new Losses()
  const noted = new Set<number>()
  const facts = importer.describe(
    records.map(({ value }) => value),
    name,
  )
  const run = importer.start({
    facts,
    tasks: new Map(),
    reread: ({ byteOffset, length }) => {
      const line = { bytes, start: byteOffset, end: byteOffset + length, byte_offset: byteOffset }
      return decodeForeign(line, importer.isRecord).records[0]!
    },
    sink: {
      event: (event) => void events.push(event),
      dropped: (reason, record) => {
        losses.drop(reason)
        noted.add(record.byteOffset)
      },
      repaired: (reason, record) => {
        losses.repair(reason)
        noted.add(record.byteOffset)
      },
      uninterpreted: (type, record) => {
        losses.leaveUninterpreted(type)
        noted.add(record.byteOffset)
      },
      task: () => {},
      taskEnded: () => {},
    },
  })
  for (const record of records) run.survey?.(record)
  run.open?.({ source: undefined, path: name, facts })
  for (const [index, { isDamaged, records: found }] of decoded.entries()) {
    const { byte_offset: byteOffset, start, end } = lines[index]!
    if (isDamaged) run.damage?.({ byteOffset, length: end - start })
    for (const record of found) run.add(record)
  }
  run.end?.(bytes.length)
  return { records, events, losses, noted }
}

/** A file of these records, one on each line. */
export function importValues(format: string, values: readonly object[], name?: string): MadeOf {
  const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
  return runImporter(findImporter(format)!, bytes, name)
}

/** The projection of the session's own events, by the one definition there is of it. */
export function projectEvents(events: readonly ImportedEvent[]): LogProjection {
  const ts = '2026-01-31T12:00:00.000Z'
  const header = { type: 'session_header', ts, uuid: HEADER_UUID, prev_uuid: null, payload: {} }
  const own = events.filter(({ task }) => task === undefined)
  const placed = [header, ...own].map((event, index) => ({ event, byte_offset: index * 1000 }))
  return projectLog(placed, { file: 'imported' })
}

export function shownUuids({ projection }: LogProjection): string[] {
  return projection.entries.flatMap((entry) => ('event' in entry ? [entry.event.uuid] : []))
}

export function shownTexts({ projection }: LogProjection): string[] {
  return projection.entries.flatMap((entry) => {
    if (entry.kind === 'summary') return [entry.text]
    return 'event' in entry
      ? [
          partsOf(entry.event)
            .map(({ text }) => text)
            .join('\n'),
        ]
      : []
  })
}
