// The contract of importers, as a suite that runs on each of them with the fixtures of its format.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isOnChain, isPermissionKey } from '../../lib/format/index.js'
import { payloadSchemas } from '../../lib/format/schemas.js'
import {
  detectFormat,
  HEADER_UUID,
  type ImportedEvent,
  type Importer,
} from '../../lib/interchange/index.js'
import { prepareEvent } from '../../lib/log/write/prepared-event.js'
import { scale } from '../helpers/effort.js'
import {
  type ForeignCase,
  linesOf,
  projectEvents,
  runImporter,
  shownTexts,
  shownUuids,
} from './foreign-files.js'

export function importerContract(importer: Importer, cases: readonly ForeignCase[]): void {
  describe(`${importer.format} keeps the contract of importers`, () => {
    it('has fixtures', () => {
      expect(cases.length).toBeGreaterThan(0)
    })

    for (const foreign of cases) describe(foreign.name, () => holds(importer, foreign))
  })
}

function holds(importer: Importer, { name, bytes, expected }: ForeignCase): void {
  const made = runImporter(importer, bytes, name)
  const { events, records } = made

  it('is detected by its content, as this format and no other', () => {
    const detection = detectFormat(linesOf(bytes).slice(0, 64))
    expect('importer' in detection && detection.importer.format).toBe(importer.format)
  })

  it('becomes what its own program would show', () => {
    const log = projectEvents(events)
    if (expected.messages !== undefined) expect(shownUuids(log)).toEqual(expected.messages)
    if (expected.texts !== undefined) expect(shownTexts(log)).toEqual(expected.texts)
    expect(log.projection.degraded).toBe(expected.degraded ?? false)
    expect(log.walk.findings).toEqual([])
  })

  it('has the title and the subagents of the source', () => {
    const titles = events.flatMap(({ type, payload }) =>
      type === 'session_meta' && 'title' in payload ? [payload] : [],
    )
    const chosen = titles.findLast((title) => title['title_source'] === 'user') ?? titles.at(-1)
    expect(chosen?.['title']).toBe(expected.title)
    const inTasks = events.filter(({ task }) => task !== undefined)
    const names = new Set(inTasks.map(({ task }) => task!))
    const uuidsOf = (name: string) =>
      inTasks.filter(({ task }) => task === name).map(({ uuid }) => uuid)
    const tasks = Object.fromEntries([...names].map((name) => [name, uuidsOf(name)]))
    expect(tasks).toEqual(expected.tasks ?? {})
  })

  it('becomes the same events every time', () => {
    expect(runImporter(importer, bytes, name).events).toEqual(events)
  })

  it('becomes an event or is dropped with a reason, record by record', () => {
    const places = new Set(events.map((event) => markOf(event).offset))
    for (const record of records) {
      // The summary of a compaction may have several records, and a list may be one record.
      const isAccounted = places.has(record.byteOffset) || made.noted.has(record.byteOffset)
      expect(isAccounted, JSON.stringify(record.value).slice(0, 200)).toBe(true)
    }
    expect(made.losses.dropped).toEqual(withoutDamage(expected.dropped))
    expect(made.losses.repaired).toEqual(withoutSalvage(expected.repaired))
  })

  it('records the position of the bytes of every event', () => {
    for (const event of events) {
      const { offset, length, sha256 } = markOf(event)
      const original = bytes.subarray(offset, offset + length)
      expect(createHash('sha256').update(original).digest('hex')).toBe(sha256)
      expect(() => JSON.parse(original.toString())).not.toThrow()
    }
  })

  it('links every event to an earlier one of its log, and uses no uuid twice', () => {
    const seen = new Map<string, Set<string>>()
    for (const event of events) {
      const names = seen.get(event.task ?? '') ?? new Set([HEADER_UUID])
      seen.set(event.task ?? '', names)
      expect(names.has(event.uuid), event.uuid).toBe(false)
      if (event.prev_uuid !== null) expect(names).toContain(event.prev_uuid)
      else expect(isOnChain(event), event.type).toBe(false)
      names.add(event.uuid)
    }
  })

  it('makes payloads that match the schemas and that a log accepts', () => {
    for (const event of events) {
      const payload = { sidechain_path: '.sidechains/x.jsonl', ...event.payload }
      const schema = payloadSchemas[event.type as keyof typeof payloadSchemas]
      const issues = schema?.safeParse(payload).error?.issues
      expect(issues, `${event.type} ${JSON.stringify(event.payload)}`).toBeUndefined()
      expect(() =>
        prepareEvent(event as never, { channel: undefined, redact: undefined }),
      ).not.toThrow()
    }
  })

  // Requirement: 003-80
  it('stores no permission state outside of messages and tool input', () => {
    for (const { payload } of events) {
      const keys = keysOf(payload)
      expect(keys.filter((key) => isPermissionKey(key) || /approval|sandbox/i.test(key))).toEqual(
        [],
      )
    }
  })

  it('does not throw, wherever the file is cut or damaged', () => {
    for (let cut = 1; cut < bytes.length; cut += scale(37, 149)) {
      expect(() => runImporter(importer, bytes.subarray(0, cut), name)).not.toThrow()
      const spoiled = Buffer.from(bytes)
      spoiled.fill(0x7b, cut, Math.min(cut + 5, bytes.length))
      expect(() => runImporter(importer, spoiled, name)).not.toThrow()
    }
  })
}

function markOf({ payload }: ImportedEvent): { offset: number; length: number; sha256: string } {
  return payload['imported_from'] as { offset: number; length: number; sha256: string }
}

/** Counted by the reader of the lines, not by the importer. */
function withoutDamage({ damaged: _, ...rest }: Record<string, number> = {}) {
  return rest
}

function withoutSalvage({ salvaged: _, ...rest }: Record<string, number> = {}) {
  return rest
}

const SPOKEN = new Set(['content', 'input', 'text'])

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(keysOf)
  return Object.entries(value).flatMap(([key, member]) =>
    SPOKEN.has(key) ? [key] : [key, ...keysOf(member)],
  )
}
