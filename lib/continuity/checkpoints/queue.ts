// Checkpoints that wait for the disk. A prompt does not wait for its checkpoint: it is queued, merged
// with others of its session within the next seconds, and written then.
//
// A checkpoint whose write fails stays in the queue, and the next tick tries again.

import type { Environment, Timer } from '../../environment/index.js'
import { isSessionError } from '../../errors.js'
import { type Diagnostic, diagnostic } from '../../format/index.js'
import { flushOnExit } from '../../log/index.js'
import { type CheckpointRecord, canMerge, mergeRecords } from '../checkpoint-record.js'
import { nameOf, type SessionRef, slotOf } from '../session-ref.js'

/** A checkpoint that was written, or the existing one that it repeats. */
export interface StoredCheckpoint {
  readonly id: string
  readonly byteOffset: number
  readonly sha256: string
}

/** Stores checkpoints. When a process ends, the same record may be written twice, with one id. */
export interface CheckpointSink {
  write(record: CheckpointRecord): Promise<StoredCheckpoint>
  /** For signals and process exit. */
  writeSync?(record: CheckpointRecord): StoredCheckpoint
}

export interface CheckpointQueueOptions {
  readonly sink: CheckpointSink
  readonly debounceMs: number
  /** Called after a checkpoint is on the disk. */
  readonly onStored?: ((record: CheckpointRecord, stored: StoredCheckpoint) => void) | undefined
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined
}

interface Waiter {
  resolve(stored: StoredCheckpoint): void
  reject(error: unknown): void
}

interface Entry {
  readonly record: CheckpointRecord
  readonly waiters: Waiter[]
  isWriting: boolean
}

interface Slot {
  entries: Entry[]
  draining: Promise<void> | undefined
}

// The record itself is invalid, so another try would fail too.
const INVALID_RECORD = ['ERR_ARG', 'ERR_SERIALIZE', 'ERR_LINE_TOO_LARGE', 'ERR_PERMISSION_STATE']

export class CheckpointQueue {
  readonly #env: Environment
  readonly #options: CheckpointQueueOptions
  readonly #slots = new Map<string, Slot>()
  #timer: Timer | undefined
  #stopWaitingForExit: (() => void) | undefined
  #lastFailure: string | undefined

  constructor(env: Environment, options: CheckpointQueueOptions) {
    this.#env = env
    this.#options = options
  }

  /** How many checkpoints are queued. */
  get size(): number {
    let size = 0
    for (const { entries } of this.#slots.values()) size += entries.length
    return size
  }

  /** Writes it with the next tick, at the latest when the process exits. */
  add(record: CheckpointRecord): void {
    this.#enqueue(record)
    this.#startTimer()
  }

  /** Writes it now, after what is queued for the same session. Rejects on failure and stays queued. */
  write(record: CheckpointRecord): Promise<StoredCheckpoint> {
    const { slot, entry } = this.#enqueue(record)
    return new Promise((resolve, reject) => {
      entry.waiters.push({ resolve, reject })
      void this.#drain(slot)
    })
  }

  /** Writes what is queued, of one session or of all. Failures are reported; see `size`. */
  async flush(session?: SessionRef): Promise<void> {
    await Promise.all(this.#slotsOf(session).map((slot) => this.#drain(slot)))
  }

  /** The same synchronously, including what is being written: its write may not be acknowledged. */
  flushSync(session?: SessionRef): void {
    this.#flushSync(session, 'checkpoint_delayed')
  }

  #flushSync(session: SessionRef | undefined, code: 'checkpoint_delayed' | 'checkpoint_lost') {
    const { sink } = this.#options
    for (const slot of this.#slotsOf(session)) {
      for (const entry of [...slot.entries]) {
        try {
          if (sink.writeSync === undefined) throw new Error('the sink cannot write synchronously')
          this.#stored(slot, entry, sink.writeSync(entry.record))
        } catch (error) {
          this.#failed(slot, entry, error, code)
        }
      }
    }
  }

  #enqueue(record: CheckpointRecord): { slot: Slot; entry: Entry } {
    const key = slotOf({ agentId: record.agent_id, sessionKey: record.session_key })
    let slot = this.#slots.get(key)
    if (slot === undefined) {
      slot = { entries: [], draining: undefined }
      this.#slots.set(key, slot)
    }
    const last = slot.entries.at(-1)
    const isJoined = last !== undefined && !last.isWriting && canMerge(last.record, record)
    const entry: Entry = isJoined
      ? { ...last, record: mergeRecords(last.record, record) }
      : { record, waiters: [], isWriting: false }
    slot.entries = [...(isJoined ? slot.entries.slice(0, -1) : slot.entries), entry]
    this.#stopWaitingForExit ??= flushOnExit(
      () => this.#flushSync(undefined, 'checkpoint_lost'),
      this.#env,
    )
    return { slot, entry }
  }

  // Later entries do not postpone it, and it does not keep the process alive.
  #startTimer(): void {
    if (this.#timer !== undefined) return
    this.#timer = this.#env.timers.setTimeout(() => {
      this.#timer = undefined
      void this.flush()
    }, this.#options.debounceMs)
    this.#timer.unref()
  }

  #slotsOf(session: SessionRef | undefined): Slot[] {
    if (session === undefined) return [...this.#slots.values()]
    const slot = this.#slots.get(slotOf(nameOf(session)))
    return slot === undefined ? [] : [slot]
  }

  #drain(slot: Slot): Promise<void> {
    slot.draining ??= this.#writeEach(slot).finally(() => {
      slot.draining = undefined
    })
    return slot.draining
  }

  // In order, each once: one that fails does not block the next.
  async #writeEach(slot: Slot): Promise<void> {
    const tried = new Set<Entry>()
    for (;;) {
      const entry = slot.entries.find((candidate) => !tried.has(candidate))
      if (entry === undefined) return
      tried.add(entry)
      entry.isWriting = true
      try {
        this.#stored(slot, entry, await this.#options.sink.write(entry.record))
      } catch (error) {
        this.#failed(slot, entry, error, 'checkpoint_delayed')
      }
      entry.isWriting = false
    }
  }

  #stored(slot: Slot, entry: Entry, stored: StoredCheckpoint): void {
    if (!this.#remove(slot, entry)) return
    this.#lastFailure = undefined
    for (const { resolve } of entry.waiters) resolve(stored)
    try {
      this.#options.onStored?.(entry.record, stored)
    } catch (error) {
      // The checkpoint is stored, whatever the listener throws.
      const reason = error instanceof Error ? error.message : String(error)
      this.#options.onDiagnostic?.(diagnostic('listener_failed', `A listener failed: ${reason}`))
    }
  }

  #failed(
    slot: Slot,
    entry: Entry,
    error: unknown,
    code: 'checkpoint_delayed' | 'checkpoint_lost',
  ): void {
    if (!slot.entries.includes(entry)) return
    const isInvalid =
      error instanceof TypeError || (isSessionError(error) && INVALID_RECORD.includes(error.code))
    if (isInvalid) this.#remove(slot, entry)
    else this.#startTimer()
    this.#report(isInvalid ? 'checkpoint_lost' : code, entry.record, error)
    for (const { reject } of entry.waiters.splice(0)) reject(error)
  }

  /** `false` if it was removed already, by a synchronous flush. */
  #remove(slot: Slot, entry: Entry): boolean {
    if (!slot.entries.includes(entry)) return false
    slot.entries = slot.entries.filter((candidate) => candidate !== entry)
    if (slot.entries.length === 0) {
      const { agent_id, session_key } = entry.record
      this.#slots.delete(slotOf({ agentId: agent_id, sessionKey: session_key }))
    }
    if (this.#slots.size === 0) {
      this.#stopWaitingForExit?.()
      this.#stopWaitingForExit = undefined
    }
    return true
  }

  // A disk may stay full for hours, which is reported once and not at every tick.
  #report(
    code: 'checkpoint_delayed' | 'checkpoint_lost',
    { id, session_key }: CheckpointRecord,
    error: unknown,
  ): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (code === 'checkpoint_delayed' && reason === this.#lastFailure) return
    this.#lastFailure = reason
    const what = `A checkpoint of session "${session_key}" is not written`
    const next = code === 'checkpoint_delayed' ? 'it stays queued' : 'it is lost'
    this.#options.onDiagnostic?.(diagnostic(code, `${what}; ${next}: ${reason}`, { uuid: id }))
  }
}
