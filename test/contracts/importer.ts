// What every importer owes, as a suite that runs on each of them with fixtures of its format.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isOnChain, isPermissionKey } from '../../lib/format/index.js'
import { payloadSchemas } from '../../lib/format/schemas.js'
import {
  detectFormat,
  HEADER_UUID,
  type ImportedEvent,
  type Importer,
} from '../../lib/importers/index.js'
import { draftOf } from '../../lib/log/draft.js'
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

  it('is detected by what stands in it, as this format and no other', () => {
    const detection = detectFormat(linesOf(bytes).slice(0, 64))
    expect('importer' in detection && detection.importer.format).toBe(importer.format)
  })

  it('becomes what its own program would show', () => {
    const log = projectEvents(events)
    if (expected.messages !== undefined) expect(shownUuids(log)).toEqual(expected.messages)
    if (expected.texts !== undefined) expect(shownTexts(log)).toEqual(expected.texts)
    expect(log.projection.isDegraded).toBe(expected.degraded ?? false)
    expect(log.walk.findings).toEqual([])
  })

  it('has the title and the subagents that it has there', () => {
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

  it('accounts for every record: an event, or a reason', () => {
    const places = new Set(events.map((event) => markOf(event).offset))
    for (const record of records) {
      // The summary of a compaction may be told in parts, and one of a list as a whole.
      const isTold = places.has(record.byte_offset) || made.noted.has(record)
      expect(isTold, JSON.stringify(record.value).slice(0, 200)).toBe(true)
    }
    expect(made.losses.dropped).toEqual(withoutDamage(expected.dropped))
    expect(made.losses.repaired).toEqual(withoutSalvage(expected.repaired))
  })

  it('says of every event where its bytes stand, so that they can be had again', () => {
    for (const event of events) {
      const { offset, length, sha256 } = markOf(event)
      const original = bytes.subarray(offset, offset + length)
      expect(createHash('sha256').update(original).digest('hex')).toBe(sha256)
      expect(() => JSON.parse(original.toString())).not.toThrow()
    }
  })

  it('links every event to an earlier one of its log, and names none twice', () => {
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

  it('makes payloads as the schemas want them, which a log takes', () => {
    for (const event of events) {
      const payload = { sidechain_path: '.sidechains/x.jsonl', ...event.payload }
      const schema = payloadSchemas[event.type as keyof typeof payloadSchemas]
      const issues = schema?.safeParse(payload).error?.issues
      expect(issues, `${event.type} ${JSON.stringify(event.payload)}`).toBeUndefined()
      expect(() => draftOf(event as never, { channel: undefined, redact: undefined })).not.toThrow()
    }
  })

  it('stores no permission state outside of what was said (003-80)', () => {
    for (const { payload } of events) {
      const keys = keysOf(payload)
      expect(keys.filter((key) => isPermissionKey(key) || /approval|sandbox/i.test(key))).toEqual(
        [],
      )
    }
  })

  it('never throws, wherever the file is cut or spoiled', () => {
    for (let cut = 1; cut < bytes.length; cut += 37) {
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

/** Counted by who reads the lines, not by the importer. */
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
