// Uuid → byte offset, for millions of lines in a few typed arrays.
//
// It keeps 64-bit hashes, not uuids, so a hit is a hint: the caller reads the line there and
// compares. Of equal hashes the last one added counts, which is what a log means by a repeated
// uuid, and what makes two different uuids of one hash look like a miss of the older.

const FIRST_SLOTS = 1024
const LOAD_MAX = 0.6
// While it is small it doubles, because moving the entries is what costs; a large one grows by a
// quarter: 27 to 34 bytes an entry instead of 27 to 54.
const GROWTH_SMALL = 2
const GROWTH_LARGE = 1.25
const LARGE_SLOTS = 64 * 1024

const TWO_TO_32 = 0x1_0000_0000

export class UuidIndex {
  // The two halves of a hash; valid where the slot is taken.
  #high: Uint32Array
  #low: Uint32Array
  /** Offset plus one; 0 is a free slot. Offsets outgrow 32 bits. */
  #offsets: Float64Array
  #size = 0

  /** `expected`: about how many there will be, so that it need not grow all the way. */
  constructor({ expected = 0 }: { expected?: number } = {}) {
    const slots = Math.max(FIRST_SLOTS, Math.ceil(expected / LOAD_MAX))
    this.#high = new Uint32Array(slots)
    this.#low = new Uint32Array(slots)
    this.#offsets = new Float64Array(slots)
  }

  /** How many different uuids it holds. */
  get size(): number {
    return this.#size
  }

  /** Memory of the table. */
  get byteLength(): number {
    return this.#offsets.length * 16
  }

  add(uuid: string, offset: number): void {
    hashString(uuid)
    this.#put(hash[0]!, hash[1]!, offset)
  }

  /** As `add`, with the uuid as the UTF-8 bytes of a file. */
  addBytes(bytes: Buffer, start: number, end: number, offset: number): void {
    hashBytes(bytes, start, end)
    this.#put(hash[0]!, hash[1]!, offset)
  }

  /** The offset added last for that uuid, or, very rarely, for another of the same hash. */
  find(uuid: string): number | undefined {
    hashString(uuid)
    const stored = this.#offsets[this.#slotOf(hash[0]!, hash[1]!)]!
    return stored === 0 ? undefined : stored - 1
  }

  #put(high: number, low: number, offset: number): void {
    const slot = this.#slotOf(high, low)
    if (this.#offsets[slot] === 0) {
      this.#high[slot] = high
      this.#low[slot] = low
      this.#size++
    }
    this.#offsets[slot] = offset + 1
    if (this.#size > this.#offsets.length * LOAD_MAX) this.#grow()
  }

  /** The slot of the hash, or the free slot for it. */
  #slotOf(high: number, low: number): number {
    const offsets = this.#offsets
    const slots = offsets.length
    // By the high bits: then growing keeps the order of the slots and walks memory straight on.
    let slot = Math.floor((high / TWO_TO_32) * slots)
    while (offsets[slot] !== 0 && (this.#low[slot] !== low || this.#high[slot] !== high)) {
      if (++slot === slots) slot = 0
    }
    return slot
  }

  #grow(): void {
    const high = this.#high
    const low = this.#low
    const offsets = this.#offsets
    const growth = offsets.length < LARGE_SLOTS ? GROWTH_SMALL : GROWTH_LARGE
    const slots = Math.ceil(offsets.length * growth)
    this.#high = new Uint32Array(slots)
    this.#low = new Uint32Array(slots)
    this.#offsets = new Float64Array(slots)
    for (let from = 0; from < offsets.length; from++) {
      if (offsets[from] === 0) continue
      const to = this.#slotOf(high[from]!, low[from]!)
      this.#high[to] = high[from]!
      this.#low[to] = low[from]!
      this.#offsets[to] = offsets[from]!
    }
  }
}

// The last hash made, in two halves: a pair for every lookup would be garbage a million times.
const hash = new Uint32Array(2)

const spelled = Buffer.alloc(256)

function hashString(text: string): void {
  const { length } = text
  let at = 0
  for (; at < length && at < spelled.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 0x7f) break
    spelled[at] = code
  }
  const bytes = at === length ? spelled : Buffer.from(text)
  hashBytes(bytes, 0, at === length ? length : bytes.length)
}

// Two lanes of the MurmurHash3 kind with different constants, four bytes at a time.
function hashBytes(bytes: Buffer, start: number, end: number): void {
  let high = 0x9747b28c ^ (end - start)
  let low = 0x3c6ef372 ^ (end - start)
  for (let at = start; at < end; at += 4) {
    let word = bytes[at]!
    if (at + 1 < end) word |= bytes[at + 1]! << 8
    if (at + 2 < end) word |= bytes[at + 2]! << 16
    if (at + 3 < end) word |= bytes[at + 3]! << 24
    const first = Math.imul(word, 0xcc9e2d51)
    high ^= Math.imul((first << 15) | (first >>> 17), 0x1b873593)
    high = (Math.imul((high << 13) | (high >>> 19), 5) + 0xe6546b64) | 0
    const second = Math.imul(word, 0x85ebca77)
    low ^= Math.imul((second << 13) | (second >>> 19), 0x9e3779b1)
    low = (Math.imul((low << 17) | (low >>> 15), 9) + 0x27d4eb2f) | 0
  }
  hash[0] = spread(high, 0x85ebca6b, 0xc2b2ae35)
  hash[1] = spread(low, 0x7feb352d, 0x846ca68b)
}

function spread(lane: number, first: number, second: number): number {
  lane = Math.imul(lane ^ (lane >>> 16), first)
  lane = Math.imul(lane ^ (lane >>> 13), second)
  return lane ^ (lane >>> 16)
}
