// A log that an import fills: events are written in batches, and those that it holds already are
// skipped. So an import that was interrupted, or whose source has grown, continues where it ended.

import { isSessionError, type SessionErrorCode } from '../../errors.js'
import { belongsTo, type Channel, type SessionEvent } from '../../format/index.js'
import { type ImportedEvent, plainText } from '../../interchange/index.js'
import { type LogWriter, type NewEvent, openLog } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'
import { MetaKeeper } from '../live-view.js'
import type { RedactionOptions } from '../settings.js'
import { logOptionsOf } from '../settings.js'
import { placeOf } from './accounts.js'
import { KnownLinks } from './links.js'

// Large enough for an efficient write, small enough to hold.
const HELD_CHARS_MAX = 256 * 1024
const HELD_EVENTS_MAX = 64

/** Why a log may reject an event that is valid in its source. */
const REFUSALS: readonly SessionErrorCode[] = ['ERR_SERIALIZE', 'ERR_LINE_TOO_LARGE', 'ERR_ARG']

const PLACEHOLDER = '[too large or nested too deeply to be imported; see the source]'

export interface TargetOptions extends RedactionOptions {
  readonly path: string
  readonly channel: Extract<Channel, 'transcript' | 'sidechain'>
  /** The log has events of an earlier import. */
  readonly exists: boolean
  /** Only counts. */
  readonly dryRun: boolean
  /** The first event, if the log is empty. */
  readonly header: NewEvent
  /** The payload of an event that the log rejects. */
  readonly onRefused: (payload: object) => void
}

export class ImportTarget {
  /** How many events were added, without those about the import itself. */
  added = 0
  lastTs: string | undefined
  readonly #options: TargetOptions
  readonly #log: LogWriter | undefined
  readonly #known: KnownLinks | undefined
  readonly #addedFrom = new Map<string | undefined, number>()
  readonly #meta = new MetaKeeper()
  #held: NewEvent[] = []
  #heldChars = 0
  #lastReply: unknown

  private constructor(
    options: TargetOptions,
    log: LogWriter | undefined,
    known: KnownLinks | undefined,
  ) {
    this.#options = options
    this.#log = log
    this.#known = known
  }

  static async open(store: StoreContext, options: TargetOptions): Promise<ImportTarget> {
    const { path, header, exists, dryRun, redactOnWrite } = options
    const known = exists ? KnownLinks.read(store, path) : undefined
    const logOptions = logOptionsOf(store, { redactOnWrite })
    // Without a channel, because payloads of another program are kept as they are. Synced once, at
    // the end: until then the import can be repeated.
    const log = dryRun
      ? undefined
      : await openLog(path, { ...logOptions, channel: undefined, durability: 'none' })
    if (log?.size === 0) await log.append(header)
    const target = new ImportTarget(options, log, known)
    // It may have been changed since the last import.
    if (exists) target.#meta.learn(store, path)
    return target
  }

  get path(): string {
    return this.#options.path
  }

  /** The last reply of the model: the result of a subagent, if the session does not hold it. */
  get lastReply(): string {
    return plainText(this.#lastReply)
  }

  /** How many of the added events are from this source. */
  addedFrom(source: string | undefined): number {
    return this.#addedFrom.get(source) ?? 0
  }

  get isFull(): boolean {
    return this.#heldChars > HELD_CHARS_MAX || this.#held.length >= HELD_EVENTS_MAX
  }

  /** `size`: its approximate length in characters. */
  add(event: ImportedEvent, size: number): void {
    this.lastTs = event.ts
    if (event.type === 'assistant') this.#lastReply = event.payload['content']
    if (this.#known === undefined) this.#hold(event, size)
    else for (const own of this.#known.resolve(event)) this.#hold(own, size)
  }

  #hold(event: ImportedEvent, size: number): void {
    this.#meta.observe(event as SessionEvent, 0)
    this.added++
    const { source } = placeOf(event.payload)
    this.#addedFrom.set(source, this.addedFrom(source) + 1)
    if (this.#log === undefined) return
    // A subagent's log has no rewinds: there `prev_uuid` alone shows what an event follows.
    const isAllowed = belongsTo(this.#options.channel, event.type)
    const own = isAllowed ? event : { ...event, type: `import:${event.type}` }
    this.#held.push(withOwnOffset(own as NewEvent))
    this.#heldChars += size
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
      const { type, uuid, prev_uuid, ts, payload } = event
      this.#options.onRefused(payload)
      const { imported_from } = payload as { imported_from?: unknown }
      const named = toPlaceholder(payload)
      await this.#log?.append({ type, uuid, prev_uuid, ts, payload: { ...named, imported_from } })
    }
  }

  /** Writes the last lines: title and tags, where listings look for it, and the account. */
  async finish(closing: (log: { tip: string | null; size: number }) => NewEvent[]): Promise<void> {
    await this.flush()
    const log = this.#log
    if (log === undefined) return
    const meta = this.#options.channel === 'transcript' ? this.#meta.line() : undefined
    const ts = this.lastTs
    const last = meta === undefined ? [] : [{ ...meta, ts }]
    await log.appendAll([...last, ...closing({ tip: log.tip, size: log.size })])
    await log.sync()
  }

  async close(): Promise<void> {
    await this.#log?.close()
  }
}

/** A boundary holds its own offset, which is known when it is written. */
function withOwnOffset(event: NewEvent): NewEvent {
  if (event.type !== 'compaction_boundary') return event
  const { payload } = event
  const { offsets } = payload as { offsets?: object }
  return {
    ...event,
    payloadAt: (self) => ({ ...payload, offsets: { ...offsets, self } }) as typeof payload,
  }
}

/** Keeps what tool pairing needs. */
function toPlaceholder(payload: object): Record<string, unknown> {
  const { tool_call_id, name, message_id } = payload as Record<string, unknown>
  return {
    content: PLACEHOLDER,
    text: PLACEHOLDER,
    ...(tool_call_id !== undefined && { tool_call_id, is_error: true }),
    ...(name !== undefined && { name, input: {} }),
    ...(message_id !== undefined && { message_id }),
  }
}

function isRefusal(error: unknown): boolean {
  return isSessionError(error) && REFUSALS.includes(error.code)
}
