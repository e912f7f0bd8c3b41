// The flow of checkpoints: what is due after a prompt, what is asked for, what the end of a session
// leaves behind. It joins the state, the triggers, the records and the queue, and knows no files.

import { SessionError } from '../errors.js'
import type { Diagnostic } from '../format/index.js'
import { type Environment, systemEnvironment } from '../log/index.js'
import {
  CheckpointQueue,
  type CheckpointQueueOptions,
  type CheckpointSink,
  type StoredCheckpoint,
} from './checkpoint-queue.js'
import type { CheckpointRecord } from './checkpoint-record.js'
import type { Continuity } from './continuity.js'
import {
  type CheckpointFacts,
  type CheckpointRequest,
  checkpointRecord,
  type Redact,
} from './make-record.js'
import { RollingGeneration, type RollingSummarizer } from './rolling-generation.js'
import { nameOf, type SessionRef } from './session-ref.js'
import {
  type ContextUse,
  isSessionEndDue,
  type PassiveCause,
  type RollingCause,
} from './triggers.js'

export interface CheckpointerOptions {
  continuity: Continuity
  sink: CheckpointSink
  redact: Redact
  /** Makes rolling checkpoints out of more than counters. Without one they are made of those. */
  summarize?: RollingSummarizer | undefined
  onStored?: CheckpointQueueOptions['onStored']
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined
  environment?: Partial<Pick<Environment, 'now' | 'newUuid'>> | undefined
}

/** After a prompt or a turn: how full the context is, and where the session stands if asked. */
export interface Moment extends ContextUse {
  readonly messageCount?: number | undefined
  /** Only called when a checkpoint is made. */
  facts(): CheckpointFacts
}

export interface AfterPrompt {
  readonly queued?: PassiveCause | RollingCause | undefined
  /** The summarizer was asked; resolves when its checkpoint is stored, or will not come. */
  readonly rolling?: Promise<StoredCheckpoint | undefined> | undefined
}

export type AskedFor = Omit<CheckpointRequest, 'trigger' | 'cause'> & {
  readonly cause?: string | undefined
}

export interface SessionEndRequest {
  readonly reason: string
  readonly facts: CheckpointFacts
}

type Rolled = Parameters<Continuity['consumeState']>[1]

export class Checkpointer {
  readonly queue: CheckpointQueue
  readonly #continuity: Continuity
  readonly #redact: Redact
  readonly #now: () => number
  readonly #onDiagnostic: CheckpointerOptions['onDiagnostic']
  #rolling: RollingGeneration | undefined
  readonly #newUuid: () => string

  constructor(options: CheckpointerOptions) {
    const { continuity, sink, redact, summarize, onStored, onDiagnostic } = options
    if (typeof redact !== 'function') throw new TypeError('redact must be a function')
    this.#continuity = continuity
    this.#redact = redact
    const { now, newUuid } = { ...systemEnvironment, ...options.environment }
    this.#newUuid = newUuid
    const { debounceMs } = continuity.settings
    this.queue = new CheckpointQueue({ sink, debounceMs, onStored, onDiagnostic })
    this.#now = now
    this.#onDiagnostic = onDiagnostic
    if (summarize !== undefined) this.summarizeWith(summarize)
  }

  /** From now on rolling checkpoints are made by this one. What another is asked for may end. */
  summarizeWith(summarize: RollingSummarizer): void {
    const onDiagnostic = this.#onDiagnostic
    this.#rolling = new RollingGeneration({ summarize, now: this.#now, onDiagnostic })
  }

  /** Queues what is due. The prompt does not wait: neither for the disk nor for a summarizer. */
  afterPrompt(session: SessionRef, moment: Moment): AfterPrompt {
    const { passive, rolling } = this.#continuity.whatIsDue(session, moment)
    if (rolling !== undefined && this.#rolling === undefined) {
      this.#queue(session, moment, { cause: rolling, rolled: { cause: rolling } })
      return { queued: rolling }
    }
    if (passive !== undefined) this.#queue(session, moment, { cause: passive })
    if (rolling === undefined || this.#rolling?.isFree(nameOf(session)) !== true) {
      return { queued: passive }
    }
    return { queued: passive, rolling: this.#generate(session, rolling, moment) }
  }

  /**
   * Before a compaction: written at once, with what was still queued. A disk that fails must not
   * stop the compaction, so then it stays queued, which is reported, and the answer is `undefined`.
   */
  async preCompaction(session: SessionRef, asked: AskedFor): Promise<StoredCheckpoint | undefined> {
    const record = this.#make(session, {
      ...asked,
      trigger: 'pre_compaction',
      cause: asked.cause ?? 'compact',
    })
    return this.#writeQuietly(record)
  }

  /** An agent's own account of its work, or a checkpoint somebody asked for by hand. */
  async checkpoint(
    session: SessionRef,
    { trigger, ...asked }: AskedFor & { readonly trigger: 'agent' | 'explicit' },
  ): Promise<StoredCheckpoint> {
    if (trigger === 'agent' && (asked.text ?? asked.sessionSummary ?? '').trim() === '') {
      throw new SessionError('ERR_ARG', 'A checkpoint of an agent must say something')
    }
    const { cause = trigger === 'agent' ? 'digest' : 'manual' } = asked
    return this.queue.write(this.#make(session, { ...asked, trigger, cause }))
  }

  /** Writes what waits and what is left, then forgets the session. */
  async end(
    session: SessionRef,
    request: SessionEndRequest,
  ): Promise<StoredCheckpoint | undefined> {
    await this.queue.flush(session)
    try {
      const record = this.#lastRecord(session, request)
      return record && (await this.queue.write(record))
    } finally {
      this.#forget(session)
    }
  }

  /** The same at once, for signal handlers and the last moments of a process. */
  endSync(session: SessionRef, request: SessionEndRequest): void {
    const record = this.#lastRecord(session, request)
    if (record !== undefined) this.queue.add(record)
    this.queue.flushSync(session)
    this.#forget(session)
  }

  #lastRecord(
    session: SessionRef,
    { reason, facts }: SessionEndRequest,
  ): CheckpointRecord | undefined {
    const state = this.#continuity.getState(session)
    if (state === undefined || !isSessionEndDue(state, reason)) return undefined
    return this.#make(session, { trigger: 'session_end', cause: reason, facts })
  }

  #forget(session: SessionRef): void {
    this.#rolling?.forget(nameOf(session))
    this.#continuity.clearContinuity(session)
  }

  // What the summary tells ends where the summarizer was asked; what is counted ends where its
  // answer arrived.
  async #generate(
    session: SessionRef,
    cause: RollingCause,
    moment: Moment,
  ): Promise<StoredCheckpoint | undefined> {
    const { tokens = 0, messageCount } = moment
    const { last_uuid } = moment.facts()
    const asked = this.#continuity.getState(session)!
    const summary = await this.#rolling!.generate({ ...nameOf(session), cause, tokens })
    const state = this.#continuity.getState(session)
    // A session that ended has its last checkpoint; a compaction made the context another one.
    if (summary === undefined || state?.cycle !== asked.cycle) return undefined
    const { totalPromptCount } = asked
    const record = this.#make(
      session,
      {
        trigger: 'periodic',
        cause,
        facts: { ...moment.facts(), last_uuid },
        structured: {
          ...summary,
          tokensAtCheckpoint: tokens,
          ...(messageCount !== undefined && { messageCount }),
        },
      },
      { cause, totalPromptCount },
    )
    return this.#writeQuietly(record)
  }

  /** A failure is reported by the queue, where the checkpoint stays. */
  #writeQuietly(record: CheckpointRecord): Promise<StoredCheckpoint | undefined> {
    return this.queue.write(record).catch(() => undefined)
  }

  #queue(
    session: SessionRef,
    moment: Moment,
    { cause, rolled }: { cause: string; rolled?: Rolled },
  ) {
    const request = { trigger: 'periodic', cause, facts: moment.facts() } as const
    this.queue.add(this.#make(session, request, rolled))
  }

  #make(session: SessionRef, request: CheckpointRequest, rolled?: Rolled): CheckpointRecord {
    const state = this.#continuity.consumeState(session, rolled)
    return checkpointRecord(state, request, { id: this.#newUuid(), redact: this.#redact })
  }
}
