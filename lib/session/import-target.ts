// A log that an import fills: events come one by one and are written in pieces, and those that are
// there already are passed over. So an import that was interrupted, or whose source has grown, goes
// on where it ended.

import { isSessionError, type SessionErrorCode } from '../errors.js'
import { belongsTo, type Channel, type SessionEvent } from '../format/index.js'
import { type ImportedEvent, plainText } from '../importers/index.js'
import { indexUuids, type LogWriter, type NewEvent, openLog, type UuidIndex } from '../log/index.js'
import { digestTranscript, isSkipped } from '../store/index.js'
import { logOptionsOf, type SessionOptions } from './settings.js'
import { TitleKeeper } from './title.js'

// Written together: enough to make a write worth while, little to hold.
const HELD_CHARS_MAX = 256 * 1024
const HELD_EVENTS_MAX = 64

/** What an event can be refused for that is well formed in its source. */
const REFUSALS: readonly SessionErrorCode[] = ['ERR_SERIALIZE', 'ERR_LINE_TOO_LARGE', 'ERR_ARG']

const STAND_IN = '[too large or nested too deeply to be imported; see the source]'

export interface TargetOptions {
  readonly path: string
  readonly channel: Extract<Channel, 'transcript' | 'sidechain'>
  readonly options: SessionOptions
  /** Only counts; nothing is made. */
  readonly isDry: boolean
  /** The first event, where the log does not begin yet. */
  readonly header: NewEvent
  readonly onRefused: () => void
}

export class ImportTarget {
  readonly path: string
  /** How many events were added, without those that only say that there was an import. */
  added = 0
  lastTs: string | undefined
  readonly #log: LogWriter | undefined
  readonly #known: UuidIndex | undefined
  readonly #channel: TargetOptions['channel']
  readonly #onRefused: () => void
  readonly #title = new TitleKeeper()
  #held: NewEvent[] = []
  #heldChars = 0
  #lastReply: unknown

  private constructor(
    { path, channel, onRefused }: TargetOptions,
    log: LogWriter | undefined,
    known: UuidIndex | undefined,
  ) {
    this.path = path
    this.#channel = channel
    this.#onRefused = onRefused
    this.#log = log
    this.#known = known
    if (known !== undefined) this.#takeTitle()
  }

  /** The title it has by now: somebody may have given it another one since the last import. */
  #takeTitle(): void {
    const digest = digestTranscript(this.path)
    if (isSkipped(digest) || digest.titleSource === null || digest.titleSource === 'prompt') return
    const { title, titleSource: title_source } = digest
    const payload = { title, title_source }
    this.#title.observe({ type: 'session_meta', payload } as SessionEvent, 0)
  }

  /** `isThere`: the log has events of an earlier import. */
  static async open(target: TargetOptions, isThere: boolean): Promise<ImportTarget> {
    const { path, channel, options, isDry, header } = target
    // Verified: what was damaged since is not there, and comes again.
    const known = isThere ? indexUuids(path, { verify: true }) : undefined
    if (isDry) return new ImportTarget(target, undefined, known)
    // Synced once, at the end: until then a repetition of the import costs nothing but time.
    const log = await openLog(path, { ...logOptionsOf(options), channel, durability: 'none' })
    if (log.size === 0) await log.append(header)
    return new ImportTarget(target, log, known)
  }

  /** The newest event of the chain; `undefined` on a dry run. */
  get tip(): string | null | undefined {
    return this.#log?.tip
  }

  /** What the model said last: how a subagent ended, where nobody else tells. */
  get lastReply(): string {
    return plainText(this.#lastReply)
  }

  get isFull(): boolean {
    return this.#heldChars > HELD_CHARS_MAX || this.#held.length >= HELD_EVENTS_MAX
  }

  /** `size`: about how many characters it takes. */
  add(event: ImportedEvent, size: number): void {
    this.lastTs = event.ts
    if (event.type === 'assistant') this.#lastReply = event.payload['content']
    if (this.#known?.find(event.uuid) !== undefined) return
    this.#title.observe(event as SessionEvent, 0)
    this.added++
    if (this.#log === undefined) return
    const type = this.#typeOf(event.type)
    this.#held.push(placed((type === event.type ? event : { ...event, type }) as NewEvent))
    this.#heldChars += size
  }

  /** A log of a subagent knows no rewinds: there the link alone tells where it goes on. */
  #typeOf(type: string): string {
    return belongsTo(this.#channel, type) ? type : `import:${type}`
  }

  async flush(): Promise<void> {
    const events = this.#held
    if (events.length === 0) return
    this.#held = []
    this.#heldChars = 0
    try {
      await this.#log?.appendAll(events)
    } catch (error) {
      if (!isRefusal(error)) throw error
      for (const event of events) await this.#appendOrReplace(event)
    }
  }

  async #appendOrReplace(event: NewEvent): Promise<void> {
    try {
      await this.#log?.append(event)
    } catch (error) {
      if (!isRefusal(error)) throw error
      this.#onRefused()
      const { type, uuid, prev_uuid, ts, payload } = event
      const { imported_from } = payload as { imported_from?: unknown }
      const named = standInOf(payload)
      await this.#log?.append({ type, uuid, prev_uuid, ts, payload: { ...named, imported_from } })
    }
  }

  /** The last lines of this import: its title where listings look for it, and what was done. */
  async finish(closing: (log: { tip: string | null; size: number }) => NewEvent[]): Promise<void> {
    await this.flush()
    const log = this.#log
    if (log === undefined) return
    const title = this.#channel === 'transcript' ? this.#title.line() : undefined
    const ts = this.lastTs
    const last = title === undefined ? [] : [{ ...title, ts }]
    await log.appendAll([...last, ...closing({ tip: log.tip, size: log.size })])
    await log.sync()
  }

  async close(): Promise<void> {
    await this.#log?.close()
  }
}

/** A boundary says where it stands itself, which is known when it is written. */
function placed(event: NewEvent): NewEvent {
  if (event.type !== 'compaction_boundary') return event
  const { payload } = event
  const { offsets } = payload as { offsets?: object }
  return {
    ...event,
    payloadAt: (self) => ({ ...payload, offsets: { ...offsets, self } }) as typeof payload,
  }
}

/** What pairing needs stays; what was too much is said to be missing. */
function standInOf(payload: object): Record<string, unknown> {
  const { tool_call_id, name, message_id } = payload as Record<string, unknown>
  return {
    content: STAND_IN,
    text: STAND_IN,
    ...(tool_call_id !== undefined && { tool_call_id, is_error: true }),
    ...(name !== undefined && { name, input: {} }),
    ...(message_id !== undefined && { message_id }),
  }
}

function isRefusal(error: unknown): boolean {
  return isSessionError(error) && REFUSALS.includes(error.code)
}
