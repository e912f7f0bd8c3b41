// The parts of modules of Node that the commands for scripts bring themselves must equal those of Node.

import { createHash, hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect, it } from 'vitest'
import * as light from '../../bin/light/crypto.js'
import { fillRandomly } from '../../bin/light/random.js'
import { sha1, sha256 } from '../../bin/light/sha.js'
import { crc32InScript, crc32 as lightCrc32 } from '../../bin/light/zlib.js'

// Around the ends of blocks, and longer than what is hashed in script.
const LENGTHS = [...Array(200).keys(), 1000, 4095, 4096, 4097, 20_000]

it('hashes and checksums in script equal those of Node', () => {
  for (const length of LENGTHS) {
    const bytes = randomBytes(length)
    expect(sha1(bytes).toString('hex')).toBe(createHash('sha1').update(bytes).digest('hex'))
    expect(sha256(bytes).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(crc32InScript(bytes)).toBe(crc32(bytes))
  }
})

it('the functions equal those of Node for texts of any length, in one piece or in several', () => {
  for (const text of ['', 'abc', 'grüße ✓', 'x'.repeat(5000), 'ü'.repeat(50_000)]) {
    expect(lightCrc32(text)).toBe(crc32(text))
    expect(lightCrc32(Buffer.from(text))).toBe(crc32(text))
    expect(light.hash('sha256', text, 'hex')).toBe(hash('sha256', text, 'hex'))
    expect(light.createHash('md5').update(text).digest('hex')).toBe(hash('md5', text, 'hex'))
    const pieces = light.createHash('sha1').update(text).update(Buffer.from(text))
    expect(pieces.digest('base64')).toBe(hash('sha1', text + text, 'base64'))
  }
})

it('random bytes fill the whole buffer and differ each time', () => {
  const filled = Array.from({ length: 20 }, () => fillRandomly(Buffer.alloc(64)).toString('hex'))
  expect(new Set(filled).size).toBe(20)
  const ends = filled.map((hex) => hex.slice(-16))
  expect(new Set(ends).size).toBe(20)
})
