// Is the file as this writer left it? The fence keeps the names of what was written since the last
// look, and finds out whether those lines can be read.
//
// A write in append mode lands in one piece, so our bytes are there even when somebody wrote right
// before them without a lock. What can go wrong is that their half line and ours share a line.

import { SessionError } from '../errors.js'
import { type Diagnostic, linkOf, TipRule } from '../format/index.js'
import { findLines } from './find-lines.js'
import { foreignWriter } from './foreign-writer.js'
import type { KnownUuids } from './known-uuids.js'
import type { LogFile } from './log-file.js'
import { readLogSync } from './read-log-sync.js'
import { countNewlines, lineStartBefore } from './scan.js'

const LOOK_MS = 50
const UNCHECKED_BYTES_MAX = 4 * 1024 * 1024

/** What a writer must know of the lines before its own. */
export interface LogState {
  readonly tip: string | null
  /** Newlines in the file; `undefined` until somebody asks for line numbers. */
  readonly newlineCount: number | undefined
}

/** What a look brought to light: others wrote, and perhaps onto our lines. */
export interface Finding {
  readonly state: LogState
  /** Where each event written since the last look stands now. */
  readonly offsets: ReadonlyMap<string, number>
  /** Lines of ours that no reader would find, to be written once more. */
  readonly unreadable: readonly Buffer[]
  readonly diagnostic: Diagnostic
}

export class Fence {
  readonly #file: LogFile
  readonly #known: KnownUuids
  #unchecked: string[] = []
  #lookedAt = Number.NEGATIVE_INFINITY
  #base: { readonly size: number; readonly isTailTorn: boolean; readonly state: LogState }

  constructor(file: LogFile, known: KnownUuids, state: LogState) {
    this.#file = file
    this.#known = known
    this.#base = { size: file.size, isTailTorn: file.isTailTorn, state }
  }

  /** Whether a writer nobody can disturb should look all the same. */
  isDue(now: number): boolean {
    const age = now - this.#lookedAt
    return age >= LOOK_MS || age < 0 || this.#file.size - this.#base.size > UNCHECKED_BYTES_MAX
  }

  /** Makes the next look due: something went wrong. */
  expire(): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY
  }

  remember(uuid: string): void {
    this.#unchecked.push(uuid)
  }

  /** Nobody else wrote, or what they wrote is taken over: from here on this is what we know. */
  settle(now: number, state: LogState): void {
    this.#lookedAt = now
    this.#base = { size: this.#file.size, isTailTorn: this.#file.isTailTorn, state }
    if (this.#unchecked.length > 0) this.#unchecked = []
  }

  /**
   * `undefined` when the file is as expected. Throws when it is not the same file any more. With
   * `isForced` the lines since the last settlement are read in any case.
   */
  look({ isForced = false }: { isForced?: boolean } = {}): Finding | undefined {
    const size = this.#file.sizeOnDisk()
    const expected = this.#file.size
    if (size === expected && !isForced) return undefined
    this.#file.accept(size)
    const found = this.#readSinceBase(size)
    return {
      state: found.state,
      offsets: found.offsets,
      unreadable: this.#unreadableLines(found.offsets, size),
      diagnostic: foreignWriter(this.#file.path, { expected, size }),
    }
  }

  // From the first unreadable one to the end, or those behind it would hang from nothing.
  #unreadableLines(offsets: ReadonlyMap<string, number>, size: number): readonly Buffer[] {
    const first = this.#unchecked.findIndex((uuid) => !offsets.has(uuid))
    if (first === -1) return []
    const wanted = this.#unchecked.slice(first)
    const lines = findLines(this.#file, wanted, { from: this.#base.size, to: size })
    if (lines.length < wanted.length) {
      const { path } = this.#file
      throw new SessionError('ERR_FILE_REPLACED', `${path} lost lines that were written`, { path })
    }
    return lines
  }

  #readSinceBase(size: number): { state: LogState; offsets: Map<string, number> } {
    const { path, fd } = this.#file
    const { state } = this.#base
    const from = this.#base.isTailTorn ? lineStartBefore(fd, this.#base.size) : this.#base.size
    const offsets = new Map<string, number>()
    const isKnownBefore = (uuid: string) => {
      const known = this.#known.find(uuid, this.#base.size)
      return known !== undefined && known.byte_offset < from
    }
    const rule = new TipRule(isKnownBefore, state.tip)
    for (const entry of readLogSync(path, { from, to: size })) {
      if (entry.kind !== 'event') continue
      rule.take(linkOf(entry.event, entry.byte_offset))
      offsets.set(entry.event.uuid, entry.byte_offset)
    }
    const newlineCount =
      state.newlineCount === undefined
        ? undefined
        : state.newlineCount + countNewlines(fd, this.#base.size, size)
    return { state: { tip: rule.tip, newlineCount }, offsets }
  }
}
