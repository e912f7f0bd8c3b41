// SHA-1 and SHA-256 (FIPS 180-4) for short texts, where loading node:crypto would take longer.

const BLOCK_BYTES = 64
const LENGTH_BYTES = 8

export function sha1(bytes: Uint8Array): Buffer {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
  const words = new Int32Array(80)
  const message = padded(bytes)
  for (let block = 0; block < message.length; block += BLOCK_BYTES) {
    for (let at = 0; at < 16; at++) words[at] = message.readInt32BE(block + at * 4)
    for (let at = 16; at < 80; at++) {
      const mixed = words[at - 3]! ^ words[at - 8]! ^ words[at - 14]! ^ words[at - 16]!
      words[at] = (mixed << 1) | (mixed >>> 31)
    }
    let [a, b, c, d, e] = state as unknown as [number, number, number, number, number]
    for (let at = 0; at < 80; at++) {
      let chosen = b ^ c ^ d
      let constant = at < 40 ? 0x6ed9eba1 : 0xca62c1d6
      if (at < 20) {
        chosen = (b & c) | (~b & d)
        constant = 0x5a827999
      } else if (at >= 40 && at < 60) {
        chosen = (b & c) | (b & d) | (c & d)
        constant = 0x8f1bbcdc
      }
      const next = (((a << 5) | (a >>> 27)) + chosen + e + constant + words[at]!) | 0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    addTo(state, [a, b, c, d, e])
  }
  return toBytes(state)
}

// The fractions of the square roots, and of the cube roots, of the first primes: as the standard does.
let constants: { readonly start: Int32Array; readonly rounds: Int32Array } | undefined

export function sha256(bytes: Uint8Array): Buffer {
  constants ??= makeConstants()
  const { start, rounds } = constants
  const state = Int32Array.from(start)
  const words = new Int32Array(64)
  const message = padded(bytes)
  for (let block = 0; block < message.length; block += BLOCK_BYTES) {
    for (let at = 0; at < 16; at++) words[at] = message.readInt32BE(block + at * 4)
    for (let at = 16; at < 64; at++) {
      const x = words[at - 15]!
      const y = words[at - 2]!
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
      words[at] = words[at - 16]! + s0 + words[at - 7]! + s1
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as EightWords
    for (let at = 0; at < 64; at++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const first = (h + s1 + ((e & f) ^ (~e & g)) + rounds[at]! + words[at]!) | 0
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + first) | 0
      d = c
      c = b
      b = a
      a = (first + second) | 0
    }
    addTo(state, [a, b, c, d, e, f, g, h])
  }
  return toBytes(state)
}

type EightWords = [number, number, number, number, number, number, number, number]

/** With the bit that ends it, and its length, up to whole blocks. */
function padded(bytes: Uint8Array): Buffer {
  const blocks = Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES)
  const message = Buffer.alloc(blocks * BLOCK_BYTES)
  message.set(bytes)
  message[bytes.length] = 0x80
  message.writeBigUInt64BE(BigInt(bytes.length) * 8n, message.length - LENGTH_BYTES)
  return message
}

function addTo(state: Int32Array, words: readonly number[]): void {
  for (let at = 0; at < words.length; at++) state[at] = state[at]! + words[at]!
}

function toBytes(state: Int32Array): Buffer {
  const bytes = Buffer.alloc(state.length * 4)
  for (let at = 0; at < state.length; at++) bytes.writeInt32BE(state[at]!, at * 4)
  return bytes
}

function makeConstants() {
  const start = new Int32Array(8)
  const rounds = new Int32Array(64)
  let count = 0
  for (let candidate = 2; count < 64; candidate++) {
    if (!isPrime(candidate)) continue
    if (count < 8) start[count] = fractionOf(candidate ** (1 / 2))
    rounds[count++] = fractionOf(candidate ** (1 / 3))
  }
  return { start, rounds }
}

function isPrime(candidate: number): boolean {
  for (let factor = 2; factor * factor <= candidate; factor++) {
    if (candidate % factor === 0) return false
  }
  return true
}

/** Its first 32 bits. */
function fractionOf(root: number): number {
  return (root - Math.floor(root)) * 2 ** 32
}
