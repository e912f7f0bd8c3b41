// Instead of node:crypto in commands that scripts call for every event: loading it takes longer than
// hashing the few hundred bytes that an id is made of. What is longer is hashed by Node.

import { sha1, sha256 } from './sha.js'

// Where the loops of sha.ts begin to take longer than loading the module does.
const BYTES_MAX = 4 * 1024

const IN_SCRIPT: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = { sha1, sha256 }

type Data = string | Uint8Array

/** The part of a hash of Node that our modules use. */
export class Hash {
  readonly #algorithm: string
  readonly #pieces: Buffer[] = []

  constructor(algorithm: string) {
    this.#algorithm = algorithm
  }

  update(data: Data): this {
    this.#pieces.push(typeof data === 'string' ? Buffer.from(data) : Buffer.from(data))
    return this
  }

  digest(): Buffer
  digest(encoding: BufferEncoding): string
  digest(encoding?: BufferEncoding): Buffer | string {
    const bytes = Buffer.concat(this.#pieces)
    const inScript = bytes.length <= BYTES_MAX ? IN_SCRIPT[this.#algorithm] : undefined
    const hashed = inScript === undefined ? hashByNode(this.#algorithm, bytes) : inScript(bytes)
    return encoding === undefined ? hashed : hashed.toString(encoding)
  }
}

export function createHash(algorithm: string): Hash {
  return new Hash(algorithm)
}

export function hash(algorithm: string, data: Data, encoding: BufferEncoding = 'hex'): string {
  return createHash(algorithm).update(data).digest(encoding)
}

function hashByNode(algorithm: string, bytes: Buffer): Buffer {
  return process.getBuiltinModule('node:crypto').createHash(algorithm).update(bytes).digest()
}
