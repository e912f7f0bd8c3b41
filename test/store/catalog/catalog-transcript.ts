// Transcripts as writers leave them, line by line, for tests that list them.

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { id, line, time } from '../../helpers/lines.js'

const REPEAT_BYTES = 48 * 1024

export class Transcript {
  readonly sessionId: string
  readonly #clock: number
  readonly #lines: Buffer[] = []
  #tip: string | null = null
  #count = 0
  #sinceTitle = 0
  #title: object | undefined

  /** `clock` is the second of the first event; every further one comes a second later. */
  constructor(sessionId: string, clock = 0, facts: object = {}) {
    this.sessionId = sessionId
    this.#clock = clock
    const start_ts = time(clock)
    const lib = { name: 'jsonl-session', version: '1', capture: 'native' }
    const origin = { format: 1, session_id: sessionId, start_ts, resumed_from: null, lib }
    this.add('session_header', { ...origin, ...facts })
  }

  add(type: string, payload: object = {}, { isOnChain = true } = {}): this {
    const uuid = id(++this.#count)
    const prev_uuid = isOnChain ? this.#tip : null
    const bytes = line(type, { uuid, prev_uuid, payload, ts: time(this.#clock + this.#count - 1) })
    if (isOnChain) this.#tip = uuid
    this.#sinceTitle += bytes.length
    this.#lines.push(bytes)
    // As A7 has it: whoever has a title repeats it, so that it is never far from the end.
    if (this.#title !== undefined && this.#sinceTitle >= REPEAT_BYTES) this.#writeTitle()
    return this
  }

  say(content: unknown): this {
    return this.add('user', { content })
  }

  reply(content: unknown = 'ok'): this {
    return this.add('assistant', { content })
  }

  /** Replies of a kilobyte each, until so many bytes are added. */
  replyAtLength(bytes: number): this {
    const until = this.size + bytes
    while (this.size < until) this.reply('x'.repeat(900))
    return this
  }

  rename(title: string, title_source?: 'user' | 'auto'): this {
    this.#title = { title, title_source }
    this.#writeTitle()
    return this
  }

  end({ events = this.#count + 1 }: { events?: number | null } = {}): this {
    const payload = { end_ts: time(0), reason: 'exit', last_uuid: this.#tip, events, bytes: 0 }
    return this.add('session_terminator', payload, { isOnChain: false })
  }

  raw(bytes: Buffer | string): this {
    this.#lines.push(Buffer.from(bytes as string))
    return this
  }

  get size(): number {
    return this.#lines.reduce((sum, { length }) => sum + length, 0)
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#lines)
  }

  /** Writes the whole file, in place if it is there. */
  save(root: string, name = this.sessionId): string {
    const path = join(root, '.transcripts', `${name}.jsonl`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, this.bytes)
    this.#lines.length = 0
    return path
  }

  /** Appends what was added since. */
  append(path: string): void {
    appendFileSync(path, this.bytes)
    this.#lines.length = 0
  }

  #writeTitle(): void {
    this.#sinceTitle = -Infinity
    this.add('session_meta', this.#title, { isOnChain: false })
    this.#sinceTitle = 0
  }
}
