// docs/FORMAT.md is written for people who do not read our code, so its examples are decoded.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkChecksum, decodeLine, RECORD_TYPES } from '../../lib/format/index.js'
import {
  formatJsonSchema,
  historyLineSchema,
  lineSchemaOf,
  payloadSchemas,
} from '../../lib/format/schemas.js'
import { readLogSync } from '../../lib/log/index.js'
import { temporaryFile } from '../helpers/temporary.js'

const page = readFileSync(new URL('../../docs/FORMAT.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/```jsonl( worked)?\n([\s\S]*?)```/g)]
const examples = blocks.filter(([, worked]) => worked === undefined).map(([, , text]) => text!)

// Requirements: 003-14, 003-34
test('every record type has one example line: fields in order, checksum valid, schema satisfied', () => {
  const seen: string[] = []
  for (const text of examples) {
    const bytes = Buffer.from(text.trimEnd())
    expect(checkChecksum(bytes, 0, bytes.length), text).toBe('valid')
    const [part] = decodeLine(bytes, 0, bytes.length, { bare: true })
    if (part?.kind !== 'event') throw new Error(`no event: ${text}`)
    const { event } = part
    const schema = event.type === undefined ? historyLineSchema : lineSchemaOf(event.type)
    expect(schema?.safeParse(event).error?.issues, text).toBeUndefined()
    if (event.type === undefined) continue
    expect(Object.keys(event)).toEqual(['type', 'ts', 'uuid', 'prev_uuid', 'payload', 'crc'])
    seen.push(event.type)
  }
  expect(seen.sort()).toEqual(Object.keys(RECORD_TYPES).sort())
})

test('the table of types and the schemas name the same types', () => {
  expect(Object.keys(payloadSchemas).sort()).toEqual(Object.keys(RECORD_TYPES).sort())
})

// Requirement: 003-64
test('the worked example decodes to the rows of its table', (t) => {
  const worked = blocks.find(([, isWorked]) => isWorked !== undefined)![2]!
  const path = temporaryFile(t, 'worked.jsonl', worked)
  const rows = [...page.matchAll(/^\| (\d+) \| (\d+) \| (\d+) \| (event|damage) `(\w+)`/gm)]
  const listed = rows.map(([, offset, length, line, kind, name]) => ({
    byte_offset: Number(offset),
    length: Number(length),
    line_number: Number(line),
    kind,
    name,
  }))
  const found = [...readLogSync(path)].map((entry) => ({
    byte_offset: entry.byte_offset,
    length: entry.length,
    line_number: entry.line_number,
    kind: entry.kind,
    name: entry.kind === 'event' ? entry.event.uuid : entry.reason,
  }))
  expect(found).toEqual(listed)
  expect(listed).toHaveLength(5)
})

test('the published JSON Schema equals the schema in the code', () => {
  const published = readFileSync(
    new URL('../../docs/format-1.schema.json', import.meta.url),
    'utf8',
  )
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(formatJsonSchema())))
})
