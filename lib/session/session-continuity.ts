// What a living session leaves for the next one. Every acknowledged event is counted in memory; a
// checkpoint that falls due is written beside the conversation, which never waits for it.

import {
  type Checkpointer,
  type CheckpointFacts,
  type ContinuityOptions,
  type ContinuityStart,
  createContinuity,
  type RollingSummarizer,
  refOf,
  type SessionRef,
  type StoredCheckpoint,
} from '../continuity/index.js'
import { isSessionError } from '../errors.js'
import { type Diagnostic, diagnostic } from '../format/index.js'
import type { LogHandle, NewEvent, Receipt } from '../log/index.js'
import { type CheckpointPayload, listCheckpoints, type ShardWriteOptions } from '../store/index.js'
import { checkpointerOf } from './checkpoints-of.js'

export interface SessionContinuityParts {
  readonly sessionId: string
  readonly log: LogHandle
  /** What was gathered before this process came; asked for once, at the first event. */
  readonly start: (to: number) => ContinuityStart
  /** The last boundary that counts, as the projection has it. */
  readonly cycle: () => string | null
  readonly options: ContinuityOptions | undefined
  readonly store: ShardWriteOptions
  readonly report: (diagnostic: Diagnostic) => void
}

/** How full the context is, for hosts that know. */
export interface ContextFill {
  readonly tokens?: number | undefined
  readonly maxTokens?: number | undefined
}

export interface CheckpointText {
  /** What the next session should know, in the words of an agent or a person. */
  readonly digest: string
  readonly sessionSummary?: string | undefined
  readonly agentRunId?: string | undefined
  /** @default 'agent' */
  readonly trigger?: 'agent' | 'explicit' | undefined
}

export class SessionContinuity {
  readonly #parts: SessionContinuityParts
  readonly #continuity: ReturnType<typeof createContinuity>
  readonly #checkpointer: Checkpointer
  /** References that are on their way into the transcript. */
  #referring: Promise<unknown> = Promise.resolve()
  #isAtEnd = false
  /** How its state is named, which holds the agent too; `undefined` until there is one. */
  #session: SessionRef | undefined
  #fill: ContextFill = {}
  /** Everything before it is counted. */
  #countedTo: number | null = null
  #hash: string | null = null

  constructor(parts: SessionContinuityParts) {
    const { store, report } = parts
    this.#parts = parts
    const { environment } = store
    this.#continuity = createContinuity({
      continuity: parts.options,
      environment,
      onDiagnostic: report,
    })
    this.#checkpointer = checkpointerOf(store, {
      continuity: this.#continuity,
      onStored: ({ trigger }, stored) => this.#refer(trigger, stored),
    })
  }

  /** Of the line of the newest checkpoint that this process stored. */
  get hash(): string | null {
    return this.#hash
  }

  /** Counts what was written, and queues what is due by it. */
  observe(event: NewEvent, { uuid, byte_offset, duplicate }: Receipt): void {
    if (duplicate === true) return
    try {
      this.#count(event, uuid, byte_offset)
    } catch (error) {
      // The event is written, so its append must not fail.
      const reason = error instanceof Error ? error.message : String(error)
      this.#parts.report(diagnostic('checkpoint_delayed', `An event was not counted: ${reason}`))
    }
  }

  #count(event: NewEvent, uuid: string, byte_offset: number): void {
    const session = this.#begin(byte_offset)
    this.#continuity.recordEvent(session, { type: event.type, uuid, payload: event.payload })
    if (event.type === 'rewind') this.#continuity.startCycle(session, this.#parts.cycle())
    this.#countedTo = byte_offset + 1
    if (event.type === 'user') {
      this.#checkpointer.afterPrompt(session, { ...this.#fill, facts: () => this.#facts() })
    }
  }

  /** Thresholds of the context go by this from the next prompt on. */
  setFill(fill: ContextFill): void {
    this.#fill = fill
  }

  summarizeWith(summarize: RollingSummarizer): void {
    this.#checkpointer.summarizeWith(summarize)
  }

  async preCompaction(sessionContext: string | undefined): Promise<void> {
    const session = this.#begin(this.#parts.log.size)
    const facts = this.#facts()
    await this.#checkpointer.preCompaction(session, { sessionContext, facts })
    await this.#referring
  }

  async checkpoint(text: CheckpointText): Promise<StoredCheckpoint> {
    const { digest, sessionSummary, agentRunId, trigger = 'agent' } = text
    const session = this.#begin(this.#parts.log.size)
    const asked = { text: digest, sessionSummary, agentRunId, facts: this.#facts() }
    const stored = await this.#checkpointer.checkpoint(session, { trigger, ...asked })
    await this.#referring
    return stored
  }

  /** What the session has left so far, newest first. */
  list(): readonly CheckpointPayload[] {
    const { store, sessionId } = this.#parts
    const { checkpoints } = listCheckpoints({ ...store, session: sessionId })
    return checkpoints.map(({ checkpoint }) => checkpoint)
  }

  /** Writes what waits without ending anything: the file is given to somebody else. */
  async flush(): Promise<void> {
    await this.#checkpointer.queue.flush()
    await this.#referring
  }

  async end(reason: string): Promise<void> {
    if (this.#session === undefined) return
    try {
      await this.#checkpointer.end(this.#session, { reason, facts: this.#facts() })
    } catch (error) {
      // The transcript is whole; what could not be stored beside it was reported by the queue.
      if (!isSessionError(error)) throw error
    }
    await this.#referring
  }

  endSync(reason: string): void {
    this.#isAtEnd = true
    if (this.#session === undefined) return
    this.#checkpointer.endSync(this.#session, { reason, facts: this.#facts() })
  }

  #begin(to: number): SessionRef {
    this.#session ??= refOf(this.#continuity.initContinuity(this.#parts.start(to)))
    return this.#session
  }

  #facts(): CheckpointFacts {
    const { log } = this.#parts
    return { transcript_offset: this.#countedTo ?? log.size, last_uuid: log.tip }
  }

  // The transcript says which checkpoints there are of it. Its own handle says so, and only after
  // the checkpoint is on the disk.
  #refer(trigger: string, { id, sha256 }: StoredCheckpoint): void {
    const { log, report } = this.#parts
    this.#hash = sha256
    const payload = { checkpoint_id: id, trigger, sha256 }
    const event: NewEvent = { type: 'checkpoint_ref', payload }
    const tell = (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      report(diagnostic('checkpoint_delayed', `The transcript does not name it: ${reason}`))
    }
    try {
      if (this.#isAtEnd) log.appendSync(event)
      else this.#referring = Promise.allSettled([this.#referring, log.append(event).catch(tell)])
    } catch (error) {
      tell(error)
    }
  }
}
