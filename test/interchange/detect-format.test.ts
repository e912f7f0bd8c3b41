import { readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { expect, it, test } from 'vitest'
import { decodeForeign, detectFormat, REFUSALS } from '../../lib/interchange/index.js'
import { FOREIGN, linesOf } from '../contracts/foreign-files.js'

const folder = join(FOREIGN, 'refused')

test.each(readdirSync(folder))('%s is refused with the right reason', (file) => {
  const detection = detectFormat(linesOf(readFileSync(join(folder, file))))
  expect(detection).toEqual({ refusal: basename(file, extname(file)) })
})

it('every refusal has a fixture and a message', () => {
  const named = readdirSync(folder).map((file) => basename(file, extname(file)))
  expect(named.sort()).toEqual(Object.keys(REFUSALS).sort())
})

it('a file without any line is empty, and so is one of NUL bytes', () => {
  expect(detectFormat([])).toEqual({ refusal: 'empty' })
  expect(detectFormat(linesOf(Buffer.alloc(100)))).toEqual({ refusal: 'empty' })
})

it('our own log is refused, also where its types have names that others use', () => {
  const line =
    '{"type":"user","ts":"2026-01-31T12:00:00.000Z","uuid":"a","prev_uuid":null,"payload":{}}'
  const titled = `${line}\n${line.replace('user', 'session_meta')}\n`
  for (const text of [line, titled]) {
    expect(detectFormat(linesOf(Buffer.from(text)))).toEqual({ refusal: 'own_log' })
  }
})

it('finds a record after one that was cut short, with the position of its bytes', () => {
  const cut = '{"type":"pr-link","text":"prNu'
  const whole = '{"uuid":"a","type":"user","parentUuid":null,"text":"half \\"{\\" brace"}'
  const bytes = Buffer.from(`${cut}${whole}${whole.replace('"a"', '"b"')}`)
  const [line] = linesOf(bytes)
  const { records, isDamaged } = decodeForeign(line!, ({ uuid }) => typeof uuid === 'string')
  expect(isDamaged).toBe(true)
  expect(records.map(({ value }) => value['uuid'])).toEqual(['a', 'b'])
  for (const { byteOffset, length, value } of records) {
    expect(JSON.parse(bytes.toString('utf8', byteOffset, byteOffset + length))).toEqual(value)
  }
})

it('does not read a part of a record as a record', () => {
  const cut =
    '{"type":"assistant","uuid":"a","message":{"type":"message","content":[{"type":"text"}]}'
  const [line] = linesOf(Buffer.from(cut))
  expect(decodeForeign(line!, ({ uuid }) => typeof uuid === 'string').records).toEqual([])
})

it('distinguishes the screen log of a terminal program from unknown files', () => {
  const refusalOf = (value: object) => detectFormat(linesOf(Buffer.from(JSON.stringify(value))))
  expect(refusalOf({ frame: 1, event: 'key' })).toEqual({ refusal: 'tui_log' })
  expect(refusalOf({ dir: 'in', kind: 'key' })).toEqual({ refusal: 'tui_log' })
  expect(refusalOf({ frame: 1 })).toEqual({ refusal: 'unknown_format' })
})
