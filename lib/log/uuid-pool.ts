// Random uuids (version 4), made 128 at a time. Unlike those of crypto.randomUUID() they are
// flat strings: a rope is flattened again for every line it becomes part of, which costs more
// than making the uuid.

const POOL_SIZE = 128
const UUID_CHARS = 36
const UUID_BYTES = 16

const random = Buffer.allocUnsafeSlow(POOL_SIZE * UUID_BYTES)
const text = Buffer.allocUnsafeSlow(POOL_SIZE * UUID_CHARS)
const HEX = Buffer.from('0123456789abcdef', 'latin1')
const HYPHEN = 0x2d

let pool = ''
let next = POOL_SIZE

export function newUuid(): string {
  if (next === POOL_SIZE) refill()
  const start = next++ * UUID_CHARS
  return pool.substring(start, start + UUID_CHARS)
}

function refill(): void {
  // Only now: a process that merely reads starts without loading it.
  process.getBuiltinModule('node:crypto').randomFillSync(random)
  let at = 0
  for (let uuid = 0; uuid < POOL_SIZE; uuid++) {
    const start = uuid * UUID_BYTES
    random[start + 6] = (random[start + 6]! & 0x0f) | 0x40
    random[start + 8] = (random[start + 8]! & 0x3f) | 0x80
    for (let index = 0; index < UUID_BYTES; index++) {
      if (index === 4 || index === 6 || index === 8 || index === 10) text[at++] = HYPHEN
      const byte = random[start + index]!
      text[at++] = HEX[byte >>> 4]!
      text[at++] = HEX[byte & 15]!
    }
  }
  pool = text.toString('latin1')
  next = 0
}
