// The edges of small rules: exactly at a limit, and one beyond it.

import { describe, expect, it } from 'vitest'
import { CHECKSUM_BYTES, writeChecksum } from '../../lib/format/checksum.js'
import {
  decodeLine,
  encodeName,
  fileNameOf,
  isHeaderType,
  isOnChain,
  isPermissionKey,
  NESTING_MAX,
  normalizeSessionKey,
  stringifyPayload,
  toPlainLines,
  toPlainText,
  WRITE_LINE_BYTES_MAX,
} from '../../lib/format/index.js'
import { payloadOffset, readEnvelope } from '../../lib/format/recognise.js'
import { formatJsonSchema } from '../../lib/format/schemas.js'
import { id, record } from '../helpers/lines.js'

describe('lines', () => {
  const decode = (bytes: Buffer, options = {}) => decodeLine(bytes, 0, bytes.length, options)

  it('a checksum counts from the brace on, not from a blank before it', () => {
    const text = ' {"type":"user","ts":"1","uuid":"x"'
    const bytes = Buffer.alloc(text.length + CHECKSUM_BYTES)
    bytes.write(text)
    writeChecksum(bytes, text.length, bytes.subarray(0, text.length))
    expect(decode(bytes)).toMatchObject([{ kind: 'event', checksum: 'wrong', start: 1 }])
    writeChecksum(bytes, text.length, bytes.subarray(1, text.length))
    expect(decode(bytes)).toMatchObject([{ kind: 'event', checksum: 'valid', start: 1 }])
  })

  it('a wrong checksum is reported with the event, which is whole', () => {
    const bytes = record('user', { uuid: 'x' })
    bytes[10] = bytes[10] === 0x61 ? 0x62 : 0x61
    expect(decode(bytes)).toMatchObject([
      { kind: 'event', checksum: 'wrong', start: 0, end: bytes.length, notes: [] },
    ])
  })

  it('blanks are counted up to the end of the line, whatever follows it', () => {
    const bytes = Buffer.from(' \t\0\0 ')
    expect(decodeLine(bytes, 0, 2)).toEqual([])
    expect(decodeLine(bytes, 0, 1)).toEqual([])
    expect(decodeLine(bytes, 0, 3)).toMatchObject([{ code: 'nul_padding', start: 0, end: 3 }])
    const said = (start: number) => JSON.stringify(decodeLine(bytes, start, 3))
    expect(said(0)).toContain('"3 NUL bytes where')
    expect(said(2)).toContain('"1 NUL byte where')
  })

  it('half a byte order mark is not one', () => {
    const event = Buffer.from('{"type":"user","ts":"1","uuid":"x"}')
    for (const mark of [
      [0x20, 0xbb, 0xbf],
      [0xef, 0xbb, 0x20],
      [0xef, 0x20, 0xbf],
    ]) {
      const parts = decode(Buffer.concat([Buffer.from(mark), event]), { isFirst: true })
      expect(parts.some((part) => part.kind === 'damage')).toBe(true)
    }
  })

  it('a number, a text or a list is no line, also where lines have no envelope', () => {
    for (const text of ['5', '"x"', 'null', 'true', '[]']) {
      expect(decode(Buffer.from(text), { bare: true })).toMatchObject([{ kind: 'damage' }])
    }
    expect(decode(Buffer.from('{}'), { bare: true })).toMatchObject([{ kind: 'event' }])
  })

  it('damage beside a whole record carries nothing that only events have', () => {
    const parts = decode(Buffer.from('half{"type":"user","ts":"1","uuid":"x"}'))
    expect(Object.keys(parts[0]!).sort()).toEqual(['code', 'end', 'kind', 'message', 'start'])
    expect(parts[1]).toMatchObject({ kind: 'event', notes: ['interrupted_record'] })
  })

  it('a hundred thousand million is the first number that is milliseconds', () => {
    const timeOf = (ts: number) => {
      const [part] = decode(Buffer.from(`{"type":"user","ts":${ts},"uuid":"x"}`))
      return part?.kind === 'event' ? part.event.ts : undefined
    }
    expect(timeOf(1e11)).toBe(new Date(1e11).toISOString())
    expect(timeOf(1e11 - 1)).toBe(new Date((1e11 - 1) * 1000).toISOString())
  })

  it('the payload begins where the envelope says', () => {
    for (const prev_uuid of [null, 'p', id(7)]) {
      const bytes = record('assistant', { uuid: 'some-uuid', prev_uuid, payload: { a: 1 } })
      const around = Buffer.concat([Buffer.from('before'), bytes])
      const envelope = readEnvelope(around, 6, around.length)!
      const at = 6 + payloadOffset(envelope)
      expect(around.toString('latin1', at, at + 7)).toBe('{"a":1}')
    }
  })

  it('an envelope is read up to the end of its line, and not beyond', () => {
    const bytes = record('user', { uuid: 'x' })
    const payloadAt = payloadOffset(readEnvelope(bytes, 0, bytes.length)!)
    expect(readEnvelope(bytes, 0, payloadAt)).toMatchObject({ uuid: 'x' })
    expect(readEnvelope(bytes, 0, payloadAt - 1)).toBeUndefined()
  })
})

describe('names', () => {
  const wrong = { code: 'ERR_ARG' }

  it('rejects an invalid key by type or by value', () => {
    expect(() => normalizeSessionKey(5 as never)).toThrow(/must be a string/)
    expect(() => normalizeSessionKey(' ')).toThrow(expect.objectContaining(wrong))
    expect(() => normalizeSessionKey('a\ud800')).toThrow(expect.objectContaining(wrong))
  })

  it('only a prefix is taken off, and once', () => {
    expect(normalizeSessionKey('a session:b')).toBe('a session:b')
    expect(normalizeSessionKey('session:session:b')).toBe('session:b')
  })

  it('a dot at one end is spelled out there, and a control character with two digits', () => {
    expect(encodeName('.a')).toBe('%2Ea')
    expect(encodeName('a.')).toBe('a%2E')
    expect(encodeName('a.b')).toBe('a.b')
    expect(encodeName('\u0001')).toBe('%01')
  })

  it('keeps a name of 180 bytes, and cuts a longer one between characters', () => {
    expect(fileNameOf('a'.repeat(180))).toBe('a'.repeat(180))
    expect(fileNameOf('a'.repeat(181))).toMatch(/^a{140}-[0-9a-f]{16}$/)
    // The cut at 140 falls behind a %, behind its first digit, and behind its second.
    for (const [before, kept] of [
      [139, 139],
      [138, 138],
      [137, 140],
    ] as const) {
      const name = fileNameOf(`${'a'.repeat(before)}/${'a'.repeat(100)}`)
      expect(name.length).toBe(kept + '-'.length + 16)
      expect(decodeURIComponent(name)).toMatch(/^a+\/?-[0-9a-f]{16}$/)
    }
  })
})

describe('types', () => {
  it('an unknown type is on the chain if it has a link', () => {
    expect(isOnChain({ type: 'of_somebody', prev_uuid: 'x' })).toBe(true)
    expect(isOnChain({ type: 'of_somebody', prev_uuid: null })).toBe(false)
    expect(isOnChain({ type: 'of_somebody' })).toBe(false)
    expect(isOnChain({ type: 'turn_end', prev_uuid: 'x' })).toBe(false)
  })

  it('a session and a sidechain have a header, and nothing else is one', () => {
    const types = ['session_header', 'sidechain_header', 'session_resumed', 'user', '']
    expect(types.map(isHeaderType)).toEqual([true, true, false, false, false])
  })

  it('the published schema has every type, as it is written', () => {
    const schema = formatJsonSchema() as {
      $schema: string
      $defs: Record<string, { properties: Record<string, { const?: string }> }>
    }
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    for (const type of ['user', 'checkpoint', 'claim']) {
      expect(schema.$defs[type]?.properties['type']).toMatchObject({ const: type })
    }
    expect(schema.$defs['event']?.properties).toHaveProperty('uuid')
    expect(schema.$defs['history_line']?.properties).toHaveProperty('prompt')
    // What a later version adds is no reason to refuse a line.
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false')
  })
})

describe('permission state', () => {
  it('a key is judged the first time it is seen, and the same the second time', () => {
    const key = 'Granted-Permissions'
    expect([isPermissionKey(key), isPermissionKey(key)]).toEqual([true, true])
    expect([isPermissionKey(`x${key}`), isPermissionKey(`x${key}`)]).toEqual([false, false])
  })
})

describe('payloads', () => {
  const refusal = (payload: object) => {
    try {
      stringifyPayload(payload)
      return undefined
    } catch (error) {
      return error as Error & { code: string; details: { jsonPath: string } }
    }
  }

  it('a refusal names the path and the reason', () => {
    expect(refusal({ a: [1, undefined] })).toMatchObject({
      message: expect.stringContaining('payload.a[1]: undefined in an array') as string,
      details: { jsonPath: 'payload.a[1]' },
    })
    expect(refusal({ a: { b: () => {} } })).toMatchObject({
      message: expect.stringContaining('payload.a.b: a function') as string,
      details: { jsonPath: 'payload.a.b' },
    })
    expect(refusal([undefined])?.details.jsonPath).toBe('payload[0]')
  })

  it('a path has at most sixteen keys', () => {
    const nested = (depth: number): object => ({ k: depth === 1 ? Number.NaN : nested(depth - 1) })
    expect(refusal(nested(16))?.details.jsonPath).toBe(`payload${'.k'.repeat(16)}`)
    expect(refusal(nested(17))?.details.jsonPath).toBe(`payload${'.k'.repeat(16)}…`)
  })

  it('nesting up to the limit is written, and one deeper is refused', () => {
    const nested = (depth: number): object => {
      let value: object = {}
      for (let level = 1; level < depth; level++) value = { k: value }
      return value
    }
    expect(stringifyPayload(nested(NESTING_MAX))).toHaveLength((NESTING_MAX - 1) * 6 + 2)
    expect(refusal(nested(NESTING_MAX + 1))?.code).toBe('ERR_SERIALIZE')
  })

  it('as many characters as a line may hold pass, and not one more', () => {
    const text = 'x'.repeat(WRITE_LINE_BYTES_MAX - 1)
    expect(refusal({ more: 'x', text })).toBeUndefined()
    expect(refusal({ more: 'xx', text })).toMatchObject({
      code: 'ERR_LINE_TOO_LARGE',
      details: { lineBytesMax: WRITE_LINE_BYTES_MAX },
    })
  })
})

describe('text from outside', () => {
  it('becomes one line: breaks and controls are one space, what cannot be seen is gone', () => {
    expect(toPlainText(' a\r\n\t b\u0007c\u200bd\u202e ')).toBe('a b cd')
    expect(toPlainText('\ud800')).toBe('\ufffd')
    expect(toPlainText('\n')).toBe('')
  })

  it('keeps its lines, and a control inside one is a space', () => {
    expect(toPlainLines('a\u0007b\n\u200bc')).toEqual(['a b', 'c'])
    expect(toPlainLines('\na\n')).toEqual(['a'])
    expect(toPlainLines('a')).toEqual(['a'])
    expect(toPlainLines('')).toEqual([])
  })
})
