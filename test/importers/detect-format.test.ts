import { readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { expect, it, test } from 'vitest'
import { decodeForeign, detectFormat, REFUSALS } from '../../lib/importers/index.js'
import { FOREIGN, linesOf } from '../contracts/foreign-files.js'

const folder = join(FOREIGN, 'refused')

test.each(readdirSync(folder))('%s is refused for what it is', (file) => {
  const detection = detectFormat(linesOf(readFileSync(join(folder, file))))
  expect(detection).toEqual({ refusal: basename(file, extname(file)) })
})

it('every refusal has a fixture, and a word for people', () => {
  const named = readdirSync(folder).map((file) => basename(file, extname(file)))
  expect(named.sort()).toEqual(Object.keys(REFUSALS).sort())
})

it('a file without any line is empty, and one of NUL bytes, too', () => {
  expect(detectFormat([])).toEqual({ refusal: 'empty' })
  expect(detectFormat(linesOf(Buffer.alloc(100)))).toEqual({ refusal: 'empty' })
})

it('a log of our own is none of them, also where its types are called as those of others', () => {
  const line =
    '{"type":"user","ts":"2026-01-31T12:00:00.000Z","uuid":"a","prev_uuid":null,"payload":{}}'
  const titled = `${line}\n${line.replace('user', 'session_meta')}\n`
  for (const text of [line, titled]) {
    expect(detectFormat(linesOf(Buffer.from(text)))).toEqual({ refusal: 'own_log' })
  }
})

it('a record is found behind one that was cut short, and every record tells its bytes', () => {
  const cut = '{"type":"pr-link","text":"prNu'
  const whole = '{"uuid":"a","type":"user","parentUuid":null,"text":"half \\"{\\" brace"}'
  const bytes = Buffer.from(`${cut}${whole}${whole.replace('"a"', '"b"')}`)
  const [line] = linesOf(bytes)
  const { records, isDamaged } = decodeForeign(line!, ({ uuid }) => typeof uuid === 'string')
  expect(isDamaged).toBe(true)
  expect(records.map(({ value }) => value['uuid'])).toEqual(['a', 'b'])
  for (const { byte_offset, length, value } of records) {
    expect(JSON.parse(bytes.toString('utf8', byte_offset, byte_offset + length))).toEqual(value)
  }
})

it('a part of a record is not taken for one', () => {
  const cut =
    '{"type":"assistant","uuid":"a","message":{"type":"message","content":[{"type":"text"}]}'
  const [line] = linesOf(Buffer.from(cut))
  expect(decodeForeign(line!, ({ uuid }) => typeof uuid === 'string').records).toEqual([])
})

it('what a terminal program logs of its screen is told from what is unknown', () => {
  const refusalOf = (value: object) => detectFormat(linesOf(Buffer.from(JSON.stringify(value))))
  expect(refusalOf({ frame: 1, event: 'key' })).toEqual({ refusal: 'tui_log' })
  expect(refusalOf({ dir: 'in', kind: 'key' })).toEqual({ refusal: 'tui_log' })
  expect(refusalOf({ frame: 1 })).toEqual({ refusal: 'unknown_format' })
})
