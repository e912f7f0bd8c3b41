// One subagent at work: a log of its own that is being written. Its parent learns how it ended,
// and never sooner than the disk does.

import { SessionError } from '../errors.js'
import type { LogHandle, NewEvent, Receipt } from '../log/index.js'
import type { SessionSettings } from './settings.js'
import { lineBytesMax, type SidechainCap } from './sidechain-cap.js'
import {
  type LooseReport,
  type MergedResult,
  reportOf,
  resultEvent,
  type SettledEnding,
  type SubagentEnding,
  type SubagentReport,
  settleEnding,
  shortened,
  terminatorEvent,
} from './subagent-result.js'
import type { SpawnOptions, SubagentTask } from './subagent-task.js'
import type { SubagentParent, Subagents } from './subagents.js'

/** Its first and its last line are no caller's business. */
const OWN_TYPES: readonly string[] = ['sidechain_header', 'sidechain_terminator']

export interface SidechainParts {
  readonly task: SubagentTask
  readonly log: LogHandle
  readonly cap: SidechainCap
  readonly subagents: Subagents
  /** `undefined` when the parent lives in another process. */
  readonly parent: SubagentParent | undefined
  readonly settings: Pick<SessionSettings, 'environment' | 'layout'>
}

export class Sidechain implements AsyncDisposable {
  readonly task_id: string
  readonly path: string
  readonly depth: number
  readonly #parts: SidechainParts
  readonly #log: LogHandle
  /** What a child may do to this one: also while it ends, which it does after them. */
  readonly #asParent: SubagentParent
  #report: SubagentReport | undefined
  #ending: Promise<SubagentReport> | undefined

  /** Use `session.spawn` or `openSidechain`. */
  constructor(parts: SidechainParts) {
    const { task, log } = parts
    this.task_id = task.task_id
    this.depth = task.depth
    this.path = log.path
    this.#parts = parts
    this.#log = log
    this.#asParent = {
      depth: task.depth,
      task_id: task.task_id,
      append: (event) => this.#appendIfRoom([event], () => log.append(event)),
      appendSync: (event) => log.appendSync(event),
    }
  }

  /** The newest event of the chain. */
  get tip(): string | null {
    return this.#log.tip
  }

  get size(): number {
    return this.#log.size
  }

  /** What its parent was told; `undefined` while it is at work. */
  get report(): SubagentReport | undefined {
    return this.#report
  }

  get parent(): SubagentParent | undefined {
    return this.#parts.parent
  }

  /** Resolves once the event is a whole line of the log. Order of calls is order of lines. */
  append<Type extends string>(event: NewEvent<Type>): Promise<Receipt> {
    return this.#admit([event as NewEvent], () => this.#log.append(event))
  }

  /** Several events as one write: all of them become lines, or none is acknowledged. */
  appendAll(events: readonly NewEvent[]): Promise<Receipt[]> {
    return this.#admit(events, () => this.#log.appendAll(events))
  }

  /** A subagent of this one. */
  spawn(options: SpawnOptions): Promise<Sidechain> {
    return this.#parts.subagents.spawn(options, this.#asParent)
  }

  /** The same for one of another process: give it the task, and its report to `mergeResult`. */
  delegate(options: SpawnOptions): Promise<SubagentTask> {
    return this.#parts.subagents.delegate(options, this.#asParent)
  }

  mergeResult(child: Sidechain | LooseReport): Promise<MergedResult> {
    return this.#parts.subagents.merge(child, this.#asParent)
  }

  /**
   * Ends it: the ending is written and synced, its file given free, and only then the result
   * stands in the parent. Later calls give the same answer; after a failure it can be tried again.
   */
  finish(ending: SubagentEnding): Promise<SubagentReport> {
    this.#ending ??= this.#finish(ending).catch((error: unknown) => {
      this.#ending = undefined
      throw error
    })
    return this.#ending
  }

  /** At once, for the last moments of a process. One that is ending already is left to it. */
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

  /** Gives the file free although it has no ending, and says so. For a disk that takes no more. */
  async abandon(cause: string): Promise<void> {
    if (this.#report !== undefined) return
    await this.#log.close().catch(() => {})
    const failed = settleEnding({ status: 'failed', reason: cause })
    const report = this.#ended({ ...failed, completion_status: 'crashed' }, undefined)
    this.#ending = Promise.resolve(report)
    await this.#tellParent(report)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.finish({ status: 'aborted', reason: 'unfinished' }).then(() => {})
  }

  #admit<Answer>(events: readonly NewEvent[], write: () => Promise<Answer>): Promise<Answer> {
    if (this.#ending !== undefined) {
      const what = `The subagent "${this.task_id}" has ended`
      return Promise.reject(new SessionError('ERR_CLOSED', what, { path: this.path }))
    }
    const own = events.find(({ type }) => OWN_TYPES.includes(type))
    if (own !== undefined) {
      const what = `A "${own.type}" is written by spawn and finish alone`
      return Promise.reject(new SessionError('ERR_ARG', what, { type: own.type }))
    }
    return this.#appendIfRoom(events, write)
  }

  // Checked and written in one step, so that the order of calls stays the order of lines.
  #appendIfRoom<Answer>(
    events: readonly NewEvent[],
    write: () => Promise<Answer>,
  ): Promise<Answer> {
    const { cap } = this.#parts
    const bytes = events.reduce((sum, event) => sum + lineBytesMax(event, this.tip), 0)
    try {
      if (cap.hasRoomFor(bytes)) return write()
    } catch (error) {
      // The folder cannot be looked at.
      return Promise.reject(error)
    }
    return this.#ending === undefined ? this.#endAtCap() : Promise.reject(cap.error())
  }

  async #endAtCap(): Promise<never> {
    const error = this.#parts.cap.error()
    await this.finish({ status: 'aborted', reason: 'byte_cap' }).catch((cause: unknown) => {
      error.cause = cause
    })
    throw error
  }

  async #finish(ending: SubagentEnding): Promise<SubagentReport> {
    const settled = settleEnding(ending)
    this.#report ??= await this.#writeEnding(settled)
    await this.#tellParent(this.#report)
    return this.#report
  }

  async #writeEnding(ending: SettledEnding): Promise<SubagentReport> {
    await this.#parts.subagents.endAll('parent_closed', this.#asParent)
    const { uuid } = await this.#log.append(this.#terminator(ending))
    // Synced when it resolves, as far as the durability asks for it; and nobody's any more.
    await this.#log.close()
    return this.#ended(ending, uuid)
  }

  #ended(ending: SettledEnding, uuid: string | undefined): SubagentReport {
    const { task, cap, subagents, settings } = this.#parts
    cap.dismiss(this.#log)
    subagents.dismiss(this)
    this.#report = reportOf(ending, {
      task_id: task.task_id,
      sidechain_path: settings.layout.pathInStore(this.path),
      bytes: this.#log.size,
      tool_call_id: task.tool_call_id,
      // The two stand in different files, where names are apart.
      uuid,
    })
    return this.#report
  }

  async #tellParent(report: SubagentReport): Promise<void> {
    await this.#parts.parent?.append(resultEvent(report))
  }

  #terminator(ending: SettledEnding): NewEvent {
    const { cap, settings } = this.#parts
    const room = cap.roomForEnding()
    const at = { bytes: this.#log.size, now: settings.environment.now() }
    const event = terminatorEvent(ending, at)
    const excess = lineBytesMax(event, null) - room
    // At the cap its own log keeps less of a long summary; the parent still gets all of it.
    return excess <= 0 ? event : terminatorEvent(shortened(ending, excess), at)
  }
}
