// Makes checkpoints: those that are due after a prompt, those that are asked for, and the one at the
// end of a session. Combines the state, the triggers, the records and the queue; uses no files.

import {
  type Environment,
  type EnvironmentOverrides,
  environmentFrom,
} from '../../environment/index.js'
import { SessionError } from '../../errors.js'
import type { Diagnostic } from '../../format/index.js'
import type { CheckpointRecord } from '../checkpoint-record.js'
import { nameOf, type SessionRef } from '../session-ref.js'
import type { Continuity } from '../state/continuity.js'
import {
  type ContextUse,
  isSessionEndDue,
  type PassiveCause,
  type RollingCause,
} from '../state/triggers.js'
import {
  type CheckpointFacts,
  type CheckpointRequest,
  checkpointRecord,
  type Redact,
} from './make-record.js'
import {
  CheckpointQueue,
  type CheckpointQueueOptions,
  type CheckpointSink,
  type StoredCheckpoint,
} from './queue.js'
import { RollingGeneration, type RollingSummarizer } from './rolling-generation.js'

export interface CheckpointerOptions {
  /** What was collected since the last checkpoint. */
  continuity: Continuity
  /** Stores the checkpoints. */
  sink: CheckpointSink
  /** Redacts the texts of a checkpoint before it is stored. */
  redact: Redact
  /**
   * Writes the text of rolling checkpoints. Without it they are digests of what was gathered.
   *
   * @default none
   */
  summarize?: RollingSummarizer | undefined
  /**
   * Called after each stored checkpoint.
   *
   * @default none
   */
  onStored?: CheckpointQueueOptions['onStored']
  /**
   * Called with everything that was tolerated.
   *
   * @default none
   */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined
  /**
   * Replaces the clock, timers and ids, for tests and simulators.
   *
   * @default the system's
   */
  environment?: EnvironmentOverrides | undefined
}

/** After a prompt or a turn: how full the context is, and the position of the session. */
export interface Moment extends ContextUse {
  readonly messageCount?: number | undefined
  /** Only called when a checkpoint is made. */
  facts(): CheckpointFacts
}

export interface AfterPrompt {
  readonly queued?: PassiveCause | RollingCause | undefined
  /** The summarizer was asked; resolves when its checkpoint is stored, or cannot be made. */
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

/** Decides when a checkpoint of a session is due, writes its text, and queues it for storing. */
export class Checkpointer {
  readonly queue: CheckpointQueue
  readonly #continuity: Continuity
  readonly #redact: Redact
  readonly #env: Environment
  readonly #onDiagnostic: CheckpointerOptions['onDiagnostic']
  #rolling: RollingGeneration | undefined

  constructor(options: CheckpointerOptions) {
    const { continuity, sink, redact, summarize, onStored, onDiagnostic } = options
    if (typeof redact !== 'function') throw new TypeError('redact must be a function')
    this.#continuity = continuity
    this.#redact = redact
    this.#env = environmentFrom(options.environment)
    const { debounceMs } = continuity.settings
    this.queue = new CheckpointQueue(this.#env, { sink, debounceMs, onStored, onDiagnostic })
    this.#onDiagnostic = onDiagnostic
    if (summarize !== undefined) this.summarizeWith(summarize)
  }

  /** Uses this summarizer from now on. A call to another one may still finish. */
  summarizeWith(summarize: RollingSummarizer): void {
    const onDiagnostic = this.#onDiagnostic
    this.#rolling = new RollingGeneration(this.#env, { summarize, onDiagnostic })
  }

  /** Queues what is due, without waiting for the disk or a summarizer. */
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
   * Before a compaction: written immediately, with what is queued. A disk error must not stop the
   * compaction: then the checkpoint stays queued, which is reported, and the result is `undefined`.
   */
  async preCompaction(session: SessionRef, asked: AskedFor): Promise<StoredCheckpoint | undefined> {
    const record = this.#make(session, {
      ...asked,
      trigger: 'pre_compaction',
      cause: asked.cause ?? 'compact',
    })
    return this.#writeQuietly(record)
  }

  /** A checkpoint in the words of an agent or a person. */
  async checkpoint(
    session: SessionRef,
    { trigger, ...asked }: AskedFor & { readonly trigger: 'agent' | 'explicit' },
  ): Promise<StoredCheckpoint> {
    if (trigger === 'agent' && (asked.text ?? asked.sessionSummary ?? '').trim() === '') {
      throw new SessionError('ERR_ARG', 'The digest of a checkpoint must not be empty')
    }
    const { cause = trigger === 'agent' ? 'digest' : 'manual' } = asked
    return this.queue.write(this.#make(session, { ...asked, trigger, cause }))
  }

  /** Writes what is queued and the last checkpoint, then forgets the session. */
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

  /** The same synchronously, for signal handlers and process exit. */
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

  // The summary covers events up to the request; the counters cover those up to the answer.
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
    // Not after the end of the session, nor after a compaction, which changed the context.
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
    return checkpointRecord(state, request, { id: this.#env.newUuid(), redact: this.#redact })
  }
}
