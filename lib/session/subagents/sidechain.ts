// A running subagent: its own log, which this process writes. Its result is appended to the parent
// after its ending is on the disk.

import { type Messages, type MessagesOptions, messagesOf } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import { type LogHandle, MemoryLog, type NewEvent, type Receipt } from '../../log/index.js'
import type { SessionSettings } from '../settings.js'
import { storageInMemory, storageOnDisk } from '../storage.js'
import { type ByteLimit, lineBytesMax } from './byte-limit.js'
import {
  type MergedResult,
  resultEvent,
  type SettledEnding,
  type SubagentEnding,
  type SubagentReport,
  type SubagentReportInput,
  settleEnding,
  shortenSummary,
  terminatorEvent,
  toReport,
} from './result.js'
import type { SubagentParent, Subagents } from './subagents.js'
import type { SpawnOptions, SubagentTask } from './task.js'

/** Written by spawn and finish only. */
const OWN_TYPES: readonly string[] = ['sidechain_header', 'sidechain_terminator']

export interface SidechainParts {
  readonly task: SubagentTask
  readonly log: LogHandle
  readonly limit: ByteLimit
  readonly subagents: Subagents
  /** `undefined` when the parent is in another process. */
  readonly parent: SubagentParent | undefined
  readonly settings: Pick<SessionSettings, 'store'>
}

export class Sidechain implements AsyncDisposable {
  readonly taskId: string
  readonly path: string
  readonly depth: number
  readonly #parts: SidechainParts
  readonly #log: LogHandle
  /** For its children, which end before it. */
  readonly #asParent: SubagentParent
  #report: SubagentReport | undefined
  #ending: Promise<SubagentReport> | undefined

  /** Use `session.spawn` or `openSidechain`. */
  constructor(parts: SidechainParts) {
    const { task, log } = parts
    this.taskId = task.taskId
    this.depth = task.depth
    this.path = log.path
    this.#parts = parts
    this.#log = log
    this.#asParent = {
      depth: task.depth,
      taskId: task.taskId,
      append: (event) => this.#appendWithinLimit([event], () => log.append(event)),
      appendSync: (event) => log.appendSync(event),
    }
  }

  /** The uuid of the newest event of the chain. */
  get tip(): string | null {
    return this.#log.tip
  }

  get size(): number {
    return this.#log.size
  }

  /** The report to its parent; `undefined` while it is running. */
  get report(): SubagentReport | undefined {
    return this.#report
  }

  get parent(): SubagentParent | undefined {
    return this.#parts.parent
  }

  /** Appends an event. Resolves once it is a line of the log; lines have the order of calls. */
  append<Type extends string>(event: NewEvent<Type>): Promise<Receipt> {
    return this.#admit([event as NewEvent], () => this.#log.append(event))
  }

  /** Appends several events in one write: all of them become lines, or none is acknowledged. */
  appendAll(events: readonly NewEvent[]): Promise<Receipt[]> {
    return this.#admit(events, () => this.#log.appendAll(events))
  }

  /** What the model of this subagent sees. */
  messages(options: MessagesOptions = {}): Messages {
    this.#log.flush()
    const { store } = this.#parts.settings
    const storage =
      this.#log instanceof MemoryLog ? storageInMemory(this.#log) : storageOnDisk(store, this.path)
    return messagesOf(storage.load().log.projection, options)
  }

  /** Starts a subagent of this one. */
  spawn(options: SpawnOptions): Promise<Sidechain> {
    return this.#parts.subagents.spawn(options, this.#asParent)
  }

  /** Makes a task for a subagent of another process; pass its report to `mergeResult`. */
  delegate(options: SpawnOptions): Promise<SubagentTask> {
    return this.#parts.subagents.delegate(options, this.#asParent)
  }

  mergeResult(child: Sidechain | SubagentReportInput): Promise<MergedResult> {
    return this.#parts.subagents.merge(child, this.#asParent)
  }

  /**
   * Ends it: the ending is written and synced, its file is unlocked, and only then the result is
   * appended to the parent. Later calls return the same; after a failure it can be called again.
   */
  finish(ending: SubagentEnding): Promise<SubagentReport> {
    this.#ending ??= this.#finish(ending).catch((error: unknown) => {
      this.#ending = undefined
      throw error
    })
    return this.#ending
  }

  /** Ends it synchronously, for exit and signal handlers, unless it is ending already. */
  abortSync(reason: string): void {
    this.#log.flush()
    if (this.#ending !== undefined) return
    const ending = settleEnding({ status: 'aborted', reason })
    const { uuid } = this.#log.appendSync(this.#terminator(ending))
    this.#log.closeSync()
    const report = this.#ended(ending, uuid)
    this.#ending = Promise.resolve(report)
    this.#parts.parent?.appendSync(resultEvent(report))
  }

  /** Unlocks the file without an ending, and reports that. For a disk that is full. */
  async abandon(cause: string): Promise<void> {
    if (this.#report !== undefined) return
    await this.#log.close().catch(() => {})
    const failed = settleEnding({ status: 'failed', reason: cause })
    const report = this.#ended({ ...failed, status: 'crashed' }, undefined)
    this.#ending = Promise.resolve(report)
    await this.#reportToParent(report)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.finish({ status: 'aborted', reason: 'unfinished' }).then(() => {})
  }

  #admit<Answer>(events: readonly NewEvent[], write: () => Promise<Answer>): Promise<Answer> {
    if (this.#ending !== undefined) {
      const what = `The subagent "${this.taskId}" has ended`
      return Promise.reject(new SessionError('ERR_CLOSED', what, { path: this.path }))
    }
    const own = events.find(({ type }) => OWN_TYPES.includes(type))
    if (own !== undefined) {
      const what = `Only spawn and finish write "${own.type}" events`
      return Promise.reject(new SessionError('ERR_ARG', what, { type: own.type }))
    }
    return this.#appendWithinLimit(events, write)
  }

  // Checked and written in one step, so that lines keep the order of calls.
  #appendWithinLimit<Answer>(
    events: readonly NewEvent[],
    write: () => Promise<Answer>,
  ): Promise<Answer> {
    const { limit } = this.#parts
    const bytes = events.reduce((sum, event) => sum + lineBytesMax(event, this.tip), 0)
    try {
      if (limit.allows(bytes)) return write()
    } catch (error) {
      // The folder cannot be read.
      return Promise.reject(error)
    }
    return this.#ending === undefined ? this.#endAtLimit() : Promise.reject(limit.error())
  }

  async #endAtLimit(): Promise<never> {
    const error = this.#parts.limit.error()
    await this.finish({ status: 'aborted', reason: 'byte_cap' }).catch((cause: unknown) => {
      error.cause = cause
    })
    throw error
  }

  async #finish(ending: SubagentEnding): Promise<SubagentReport> {
    const settled = settleEnding(ending)
    this.#report ??= await this.#writeEnding(settled)
    await this.#reportToParent(this.#report)
    return this.#report
  }

  async #writeEnding(ending: SettledEnding): Promise<SubagentReport> {
    await this.#parts.subagents.endAll('parent_closed', this.#asParent)
    const { uuid } = await this.#log.append(this.#terminator(ending))
    // Synced, if the durability asks for it, and unlocked.
    await this.#log.close()
    return this.#ended(ending, uuid)
  }

  #ended(ending: SettledEnding, uuid: string | undefined): SubagentReport {
    const { task, limit, subagents, settings } = this.#parts
    limit.remove(this.#log)
    subagents.remove(this)
    this.#report = toReport(ending, {
      taskId: task.taskId,
      sidechainPath: settings.store.layout.pathInStore(this.path),
      bytes: this.#log.size,
      toolCallId: task.toolCallId,
      // The result has the uuid of the ending: they are in different files.
      uuid,
    })
    return this.#report
  }

  async #reportToParent(report: SubagentReport): Promise<void> {
    await this.#parts.parent?.append(resultEvent(report))
  }

  #terminator(ending: SettledEnding): NewEvent {
    const { limit, settings } = this.#parts
    const at = { bytes: this.#log.size, now: settings.store.env.now() }
    const event = terminatorEvent(ending, at)
    const excess = lineBytesMax(event, null) - limit.maxEndingBytes()
    // At the limit its own log holds less of a long summary; the parent still gets all of it.
    return excess <= 0 ? event : terminatorEvent(shortenSummary(ending, excess), at)
  }
}
