// The original of every test is compared byte for byte afterwards; every copy is verified.

import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { projectLog } from '../../../lib/chain/index.js'
import { repairLog, verifyLog } from '../../../lib/free-functions.js'
import { readLogSync } from '../../../lib/log/index.js'
import { damagedFile } from '../../helpers/damaged-files.js'
import { runs } from '../../helpers/effort.js'
import { bareLine, foreignLine, line } from '../../helpers/lines.js'
import { temporaryFile } from '../../helpers/temporary.js'

const LIB = { name: 'x', version: '1', capture: 'native' }
const TS = '2026-01-01T12:00:00.000Z'
const header = line('session_header', {
  uuid: 'h',
  payload: { format: 1, session_id: 's', start_ts: TS, resumed_from: null, lib: LIB },
})
const said = (uuid: string, prev_uuid: string | null, content = uuid) =>
  line('user', { uuid, prev_uuid, payload: { content } })

function edited(bytes: Buffer, from: string, to: string): Buffer {
  return Buffer.from(bytes.toString().replace(from, to))
}

const sha = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

async function repaired(path: string, acceptEdits = false) {
  const before = { sha: sha(path), mtimeMs: statSync(path).mtimeMs }
  const output = `${path}.repaired.jsonl`
  const report = await repairLog(path, { output, acceptEdits })
  expect({ sha: sha(path), mtimeMs: statSync(path).mtimeMs }).toEqual(before)
  return { report, output, bytes: readFileSync(output) }
}

test('copies a valid log byte for byte', async (t) => {
  const path = temporaryFile(t, 's.jsonl', Buffer.concat([header, said('a', 'h'), said('b', 'a')]))
  const { report, bytes } = await repaired(path)
  expect(bytes).toEqual(readFileSync(path))
  expect(report).toMatchObject({
    read: 3,
    kept: 3,
    salvaged: [],
    dropped: [],
    headerCreated: false,
  })
  expect(report.bytesWritten).toBe(bytes.length)
  expect(statSync(report.output).mode & 0o777).toBe(0o600)
})

test('lists what is lost with reason and offset, and closes the gap as readers do', async (t) => {
  const lines = [header, said('a', 'h'), Buffer.from('oops\n'), said('c', 'b'), said('d', 'c')]
  const torn = said('e', 'd').subarray(0, 40)
  const path = temporaryFile(t, 's.jsonl', Buffer.concat([...lines, torn]))
  const { report, output } = await repaired(path)
  expect(await verifyLog(output)).toMatchObject({ events: 4, reachable: 4, findings: [] })
  const at = header.length + lines[1]!.length
  expect(report.dropped).toMatchObject([
    { byteOffset: at, length: 4, lineNumber: 3, reasons: ['bad_line'] },
    { length: 40, reasons: ['partial_tail'] },
  ])
  expect(report.salvaged).toMatchObject([{ uuid: 'c', reasons: ['dangling_prev'] }])
  expect(report).toMatchObject({ read: 6, kept: 4 })
})

test('drops and lists a line of another program that nests too deep', async (t) => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const strange = `{"type":"user","ts":"${TS}","uuid":"x","prev_uuid":"h","payload":{"content":${deep}}}\n`
  const lines = [header, Buffer.from(strange), said('b', 'x')]
  const path = temporaryFile(t, 's.jsonl', Buffer.concat(lines))
  const { report, output } = await repaired(path)
  expect(report).toMatchObject({ read: 3, kept: 2 })
  expect(report.dropped).toMatchObject([{ uuid: 'x', reasons: ['unverified', 'bad_payload'] }])
  expect((await verifyLog(output)).findings).toEqual([])
})

test('drops an edited line that is no event, even with acceptEdits', async (t) => {
  const changed = edited(said('a', 'h'), '"type"', '"uype"')
  const path = temporaryFile(t, 's.jsonl', Buffer.concat([header, changed, said('b', 'a')]))
  const { report, output } = await repaired(path, true)
  expect(report.dropped).toMatchObject([
    { byteOffset: header.length, reasons: ['crc_mismatch', 'bad_line'] },
  ])
  expect((await verifyLog(output)).findings).toEqual([])
})

// Requirement: A44
test('keeps an edited line with acceptEdits only, with a new checksum', async (t) => {
  const changed = edited(said('b', 'a', 'my secret'), 'my secret', 'XXXX')
  const path = temporaryFile(
    t,
    's.jsonl',
    Buffer.concat([header, said('a', 'h'), changed, said('c', 'b')]),
  )
  const strict = await repaired(path)
  expect(strict.report.dropped).toMatchObject([{ uuid: 'b', reasons: ['crc_mismatch'] }])
  expect(await verifyLog(strict.output)).toMatchObject({ events: 3, findings: [] })
  rmSync(strict.output)
  const kind = await repaired(path, true)
  expect(kind.report).toMatchObject({
    kept: 4,
    dropped: [],
    salvaged: [{ uuid: 'b', reasons: ['crc_mismatch'], lineNumber: 3 }],
  })
  expect(kind.bytes.toString()).toContain('XXXX')
  expect(await verifyLog(kind.output)).toMatchObject({ events: 4, findings: [] })
})

test('separates concatenated records and padding, and adds missing checksums', async (t) => {
  const foreign = { type: 'user', ts: TS, uuid: 'd', prev_uuid: 'c', payload: { content: 'd' } }
  const path = temporaryFile(
    t,
    's.jsonl',
    Buffer.concat([
      header,
      said('a', 'h').subarray(0, -1),
      said('b', 'a'),
      Buffer.alloc(16),
      said('c', 'b'),
      foreignLine(foreign),
      said('a', 'h'),
    ]),
  )
  const { report, output } = await repaired(path)
  expect(await verifyLog(output)).toMatchObject({ events: 5, reachable: 5, findings: [] })
  expect(report.salvaged.map(({ uuid, reasons }) => [uuid, reasons])).toEqual([
    ['a', ['concatenated_records']],
    ['b', ['concatenated_records']],
    ['c', ['nul_padding']],
    ['d', ['unverified']],
  ])
  expect(report.dropped).toMatchObject([{ uuid: 'a', reasons: ['duplicate_uuid'] }])
})

test('drops a duplicate; events that follow it follow its predecessor', async (t) => {
  const path = temporaryFile(
    t,
    's.jsonl',
    Buffer.concat([
      header,
      said('b', 'h'),
      said('d', 'b'),
      said('b', 'd', 'once more'),
      said('e', 'b'),
    ]),
  )
  const { output } = await repaired(path)
  expect(shownIn(output)).toEqual(shownIn(path))
  expect(shownIn(output)).toEqual(['b', 'd', 'e'])
})

test('creates a lost header from the name of the file, and reports it', async (t) => {
  const path = temporaryFile(
    t,
    'my-id.jsonl',
    Buffer.concat([Buffer.from('{"ty\n'), said('a', 'h')]),
  )
  const { report, output, bytes } = await repaired(path)
  expect(report.headerCreated).toBe(true)
  expect(bytes.toString()).toContain('"session_id":"my-id"')
  expect(await verifyLog(output)).toMatchObject({ events: 2, reachable: 2, findings: [] })
})

test('repairs a history line by line', async (t) => {
  const lines = [1, 2].map((n) => bareLine({ ts: TS, prompt: `p${n}`, session_id: null }))
  const path = temporaryFile(
    t,
    'h.jsonl',
    Buffer.concat([lines[0]!, Buffer.from('x\n'), lines[1]!]),
  )
  const { report, bytes, output } = await repaired(path)
  expect(bytes).toEqual(Buffer.concat(lines))
  expect(report).toMatchObject({ kept: 2, dropped: [{ lineNumber: 2 }] })
  expect((await verifyLog(output)).findings).toEqual([])
})

test('never replaces an existing output, and leaves no temporary file', async (t) => {
  const path = temporaryFile(t, 's.jsonl', header)
  writeFileSync(`${path}.x`, 'mine')
  for (const output of [path, `${path}.x`]) {
    await expect(repairLog(path, { output })).rejects.toMatchObject({ code: 'ERR_EXISTS' })
  }
  expect(readFileSync(`${path}.x`, 'utf8')).toBe('mine')
  expect(readFileSync(path)).toEqual(header)
  expect(readdirSync(join(path, '..')).sort()).toEqual(['s.jsonl', 's.jsonl.x'])
})

test('any damage: the copy verifies, reads the same, and the original stays', async () => {
  await fc.assert(
    fc.asyncProperty(damagedFile, fc.boolean(), async (bytes, acceptEdits) => {
      const folder = mkdtempSync(join(tmpdir(), 'jsonl-session-'))
      try {
        const path = join(folder, 's.jsonl')
        writeFileSync(path, bytes)
        const { report, output } = await repaired(path, acceptEdits)
        const { findings, events } = await verifyLog(output)
        // Damage is repaired, meaning is not: a payload that was invalid when it was written stays so.
        const left = findings.filter(({ code }) => code !== 'bad_payload')
        if (events > 0) expect(left).toEqual([])
        expect(events).toBe(report.kept + (report.headerCreated ? 1 : 0))
        expect(report.read).toBe(report.kept + report.dropped.length)
        // Where uuids repeat, more may come out than readers took; never less than one of each.
        const repeated = ['duplicate_uuid', 'extra_header'] as const
        const isUnique = ![...report.dropped, ...report.salvaged].some(({ reasons }) =>
          repeated.some((code) => reasons.includes(code)),
        )
        if (!acceptEdits && isUnique) expect(saidIn(output)).toEqual(saidIn(path))
      } finally {
        rmSync(folder, { recursive: true })
      }
    }),
    { numRuns: runs(150) },
  )
})

function saidIn(path: string): unknown[] {
  return entriesOf(path).map(({ event }) => [event.type, event.payload])
}

function shownIn(path: string): string[] {
  return entriesOf(path).map(({ event }) => event.uuid)
}

function entriesOf(path: string) {
  const events = [...readLogSync(path)].flatMap((entry) => (entry.kind === 'event' ? [entry] : []))
  const { entries } = projectLog(events, { file: path }).projection
  return entries.flatMap((entry) => ('event' in entry ? [entry] : []))
}
