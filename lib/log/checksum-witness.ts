// Whether a file is one of checksummed lines: it is, as soon as one line of it proves itself.
// Only there is a wrong checksum damage; elsewhere another tool uses the same field.

import { readSync } from 'node:fs'
import { decodeLine } from '../format/index.js'
import { ForwardLines, type Line } from './line-source.js'
import type { OpenLog } from './open-for-reading.js'

/** Answers from what readers have seen; looks into the file only when they have seen no proof. */
export class ChecksumWitness {
  readonly #isBare: boolean
  #hasProof = false
  #searchedTo = 0

  constructor({ isBare }: { isBare: boolean }) {
    this.#isBare = isBare
  }

  /** To be told of every valid checksum. */
  see(): void {
    this.#hasProof = true
  }

  isChecksummed({ fd, size }: OpenLog): boolean {
    if (this.#hasProof) return true
    const lines = new ForwardLines({ from: this.#searchedTo, to: size })
    for (let request = lines.request(); request !== undefined; request = lines.request()) {
      const length = readSync(fd, lines.bytes, request.at, request.length, request.position)
      if (length === 0) break
      lines.accept({ ...request, length })
      while (lines.next()) {
        if (this.#isProof(lines)) return true
        if (lines.isEnded) this.#searchedTo = lines.byte_offset + lines.length + 1
      }
    }
    return false
  }

  #isProof({ bytes, start, end, byte_offset, isOversize }: Line): boolean {
    if (isOversize) return false
    const options = { isFirst: byte_offset === 0, isBare: this.#isBare }
    this.#hasProof = decodeLine(bytes, start, end, options).some(
      (part) => part.kind === 'event' && part.checksum === 'valid',
    )
    return this.#hasProof
  }
}
