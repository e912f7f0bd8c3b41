// Checkpoints on their way to the disk. A prompt that makes one due does not wait for it: it is
// queued, joined with what else comes for its session within the next seconds, and written then.
//
// What was handed in once is never dropped because of a bad moment: a write that fails leaves its
// checkpoint in the queue, and the next tick tries again.

import { isSessionError } from '../errors.js'
import { type Diagnostic, diagnostic } from '../format/index.js'
import { writeOnExit } from '../log/index.js'
import { type CheckpointRecord, canMerge, mergeRecords } from './checkpoint-record.js'
import { nameOf, type SessionRef, slotOf } from './session-ref.js'

export interface StoredCheckpoint {
  readonly id: string
  readonly byte_offset: number
  readonly sha256: string
}

/** Where checkpoints go. The same record may come twice, with the same id, when a process ends. */
export interface CheckpointSink {
  write(record: CheckpointRecord): Promise<StoredCheckpoint>
  /** For signals and the end of a process, when nothing can be waited for. */
  writeSync?(record: CheckpointRecord): StoredCheckpoint
}

export interface CheckpointQueueOptions {
  readonly sink: CheckpointSink
  readonly debounceMs: number
  /** Told after a checkpoint is on the disk: the moment to refer to it elsewhere. */
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

// The record is refused for what it is; trying again would be refused again.
const REFUSALS = ['ERR_ARG', 'ERR_SERIALIZE', 'ERR_LINE_TOO_LARGE', 'ERR_PERMISSION_STATE']

export class CheckpointQueue {
  readonly #options: CheckpointQueueOptions
  readonly #slots = new Map<string, Slot>()
  #timer: NodeJS.Timeout | undefined
  #stopWaitingForExit: (() => void) | undefined
  #lastFailure: string | undefined

  constructor(options: CheckpointQueueOptions) {
    this.#options = options
  }

  /** How many wait. */
  get size(): number {
    let size = 0
    for (const { entries } of this.#slots.values()) size += entries.length
    return size
  }

  /** Written with the next tick, at the latest when the process exits. */
  add(record: CheckpointRecord): void {
    this.#enqueue(record)
    this.#startTimer()
  }

  /** Written now, after what waits for the same session. A failure is told, and stays queued. */
  write(record: CheckpointRecord): Promise<StoredCheckpoint> {
    const { slot, entry } = this.#enqueue(record)
    return new Promise((resolve, reject) => {
      entry.waiters.push({ resolve, reject })
      void this.#drain(slot)
    })
  }

  /** Writes what waits, of one session or of all. Failures are reported; see `size`. */
  async flush(session?: SessionRef): Promise<void> {
    await Promise.all(this.#slotsOf(session).map((slot) => this.#drain(slot)))
  }

  /** The same at once, also for what is being written: its acknowledgement will not be seen. */
  flushSync(session?: SessionRef): void {
    this.#flushSync(session, 'checkpoint_delayed')
  }

  #flushSync(session: SessionRef | undefined, code: 'checkpoint_delayed' | 'checkpoint_lost') {
    const { sink } = this.#options
    for (const slot of this.#slotsOf(session)) {
      for (const entry of [...slot.entries]) {
        try {
          if (sink.writeSync === undefined) throw new Error('there is no way to write it at once')
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
    this.#stopWaitingForExit ??= writeOnExit(() => this.#flushSync(undefined, 'checkpoint_lost'))
    return { slot, entry }
  }

  // Not pushed back by later entries, and no reason for a process to stay alive.
  #startTimer(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.flush()
    }, this.#options.debounceMs).unref()
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

  // One after the other, each of them once: one that fails does not hold up the next.
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
      // It is stored; a listener's bug is its own news.
      queueMicrotask(() => {
        throw error
      })
    }
  }

  #failed(
    slot: Slot,
    entry: Entry,
    error: unknown,
    code: 'checkpoint_delayed' | 'checkpoint_lost',
  ): void {
    if (!slot.entries.includes(entry)) return
    const isRefused =
      error instanceof TypeError || (isSessionError(error) && REFUSALS.includes(error.code))
    if (isRefused) this.#remove(slot, entry)
    else this.#startTimer()
    this.#report(isRefused ? 'checkpoint_lost' : code, entry.record, error)
    for (const { reject } of entry.waiters.splice(0)) reject(error)
  }

  /** `false` if it is gone already: the end of the process overtook it. */
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

  // A disk stays full for hours; that is one piece of news, not one every tick.
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
