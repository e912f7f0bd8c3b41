// Instead of node:zlib in commands that scripts call for every event: loading it, with the streams
// that it loads, takes longer than the checksums of the few lines that such a command reads.

// Where this loop begins to take longer than loading the module does.
const BYTES_MAX = 16 * 1024

let bytesDone = 0
let native: ((data: string | Uint8Array) => number) | undefined

export function crc32(data: string | Uint8Array): number {
  bytesDone += data.length
  if (native === undefined && bytesDone <= BYTES_MAX) {
    return crc32InScript(typeof data === 'string' ? Buffer.from(data) : data)
  }
  native ??= process.getBuiltinModule('node:zlib').crc32
  return native(data)
}

const TABLE = new Int32Array(256)

export function crc32InScript(bytes: Uint8Array): number {
  if (TABLE[1] === 0) fillTable()
  let crc = -1
  for (let index = 0; index < bytes.length; index++) {
    crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[index]!) & 0xff]!
  }
  return ~crc >>> 0
}

const POLYNOMIAL = 0xedb88320

function fillTable(): void {
  TABLE[128] = POLYNOMIAL
  // The value of a power of two gives those of its sums with smaller numbers.
  for (let power = 64; power > 0; power >>= 1) {
    const half = TABLE[power * 2]!
    TABLE[power] = (half >>> 1) ^ (half & 1 ? POLYNOMIAL : 0)
  }
  for (let power = 2; power <= 128; power *= 2) {
    for (let rest = 1; rest < power; rest++) TABLE[power + rest] = TABLE[power]! ^ TABLE[rest]!
  }
}
