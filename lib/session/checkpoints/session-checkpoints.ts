// The checkpoints of a session that this process keeps open. Every acknowledged event is counted in
// memory; a checkpoint that is due is written in the background, and no append waits for it.

import {
  type Checkpointer,
  type CheckpointFacts,
  type ContextUse,
  type ContinuityOptions,
  type createContinuity,
  type RollingSummarizer,
  refOf,
  type SessionRef,
  type StoredCheckpoint,
} from '../../continuity/index.js'
import { isSessionError } from '../../errors.js'
import { diagnostic } from '../../format/index.js'
import type { NewEvent, Receipt } from '../../log/index.js'
import { type CheckpointPayload, listCheckpoints, type StoreContext } from '../../store/index.js'
import type { SessionParts } from '../types.js'
import { createCheckpointer, deriveState } from './one-shot.js'

interface SessionContinuityParts extends Pick<SessionParts, 'id' | 'log' | 'view' | 'isNew'> {
  readonly options: ContinuityOptions | undefined
  readonly harness: string | undefined
}

export interface CheckpointInput {
  /** What the next session should know, in the words of an agent or a person. */
  readonly digest: string
  readonly sessionSummary?: string | undefined
  readonly agentRunId?: string | undefined
  /** @default 'agent' */
  readonly trigger?: 'agent' | 'explicit' | undefined
}

export class SessionContinuity {
  readonly #store: StoreContext
  readonly #parts: SessionContinuityParts
  readonly #continuity: ReturnType<typeof createContinuity>
  readonly #checkpointer: Checkpointer
  /** References that are being written to the transcript. */
  #referring: Promise<unknown> = Promise.resolve()
  #isAtEnd = false
  /** The key of its state, agent included; `undefined` until there is one. */
  #session: SessionRef | undefined
  #use: ContextUse = {}
  /** Everything before this offset is counted. */
  #countedTo: number | null = null
  /** Hash of the newest checkpoint that this process stored. */
  hash: string | null = null

  constructor(store: StoreContext, parts: SessionContinuityParts) {
    this.#store = store
    this.#parts = parts
    const { continuity, checkpointer } = createCheckpointer(store, parts.options, {
      onStored: ({ trigger }, stored) => this.#refer(trigger, stored),
    })
    this.#continuity = continuity
    this.#checkpointer = checkpointer
  }

  /** Counts an event that was written, and queues the checkpoint that is due, if any. */
  observe(event: NewEvent, { uuid, byteOffset, duplicate }: Receipt): void {
    if (duplicate === true) return
    try {
      this.#count(event, uuid, byteOffset)
    } catch (error) {
      // The event is written, so its append must not fail.
      const reason = error instanceof Error ? error.message : String(error)
      this.#store.report(diagnostic('checkpoint_delayed', `An event was not counted: ${reason}`))
    }
  }

  #count(event: NewEvent, uuid: string, byte_offset: number): void {
    const session = this.#begin(byte_offset)
    this.#continuity.recordEvent(session, { type: event.type, uuid, payload: event.payload })
    if (event.type === 'rewind') {
      const { lastBoundary } = this.#parts.view.projection
      this.#continuity.startCycle(session, lastBoundary?.uuid ?? null)
    }
    this.#countedTo = byte_offset + 1
    if (event.type === 'user') {
      this.#checkpointer.afterPrompt(session, { ...this.#use, facts: () => this.#facts() })
    }
  }

  /** Sets the numbers that the context thresholds are checked against at the next prompt. */
  setContextUse(use: ContextUse): void {
    this.#use = use
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

  async checkpoint(input: CheckpointInput): Promise<StoredCheckpoint> {
    const { digest, sessionSummary, agentRunId, trigger = 'agent' } = input
    const session = this.#begin(this.#parts.log.size)
    const asked = { text: digest, sessionSummary, agentRunId, facts: this.#facts() }
    const stored = await this.#checkpointer.checkpoint(session, { trigger, ...asked })
    await this.#referring
    return stored
  }

  /** Lists the checkpoints of the session, newest first. */
  list(): readonly CheckpointPayload[] {
    const { checkpoints } = listCheckpoints(this.#store, { session: this.#parts.id })
    return checkpoints.map(({ checkpoint }) => checkpoint)
  }

  /** Writes queued checkpoints without ending the session. */
  async flush(): Promise<void> {
    await this.#checkpointer.queue.flush()
    await this.#referring
  }

  async end(reason: string): Promise<void> {
    if (this.#session === undefined) return
    try {
      await this.#checkpointer.end(this.#session, { reason, facts: this.#facts() })
    } catch (error) {
      // The transcript is complete; the queue has reported the failed checkpoint.
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
    if (this.#session === undefined) {
      const { id, log, harness, isNew } = this.#parts
      const state = deriveState(this.#store, { id, log: log.path }, { to, harness, isNew })
      this.#session = refOf(this.#continuity.initContinuity(state))
    }
    return this.#session
  }

  #facts(): CheckpointFacts {
    const { log } = this.#parts
    return { transcript_offset: this.#countedTo ?? log.size, last_uuid: log.tip }
  }

  // The transcript names its checkpoints, and only after they are on the disk.
  #refer(trigger: string, { id, sha256 }: StoredCheckpoint): void {
    const { log } = this.#parts
    this.hash = sha256
    const payload = { checkpoint_id: id, trigger, sha256 }
    const event: NewEvent = { type: 'checkpoint_ref', payload }
    const report = (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      const message = `The transcript does not name it: ${reason}`
      this.#store.report(diagnostic('checkpoint_delayed', message))
    }
    try {
      if (this.#isAtEnd) log.appendSync(event)
      else this.#referring = Promise.allSettled([this.#referring, log.append(event).catch(report)])
    } catch (error) {
      report(error)
    }
  }
}
