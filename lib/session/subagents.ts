// The subagents of one session: how they come to be, which of them are open in this process, and
// that none of them outlives its parent without an ending.

import { isSessionError, SessionError } from '../errors.js'
import { diagnostic } from '../format/index.js'
import type { LogHandle, NewEvent } from '../log/index.js'
import { placeSidechain, SidechainSizes } from '../store/index.js'
import type { SessionSettings } from './settings.js'
import { Sidechain } from './sidechain.js'
import { lineBytesMax, SidechainCap } from './sidechain-cap.js'
import { createSidechainLog, existsError, reopenSidechainLog } from './sidechain-log.js'
import { closeOnExit, closeOnSignal } from './signals.js'
import {
  type LooseReport,
  type MergedResult,
  resultEvent,
  settleReport,
} from './subagent-result.js'
import {
  newTask,
  openingEvents,
  type SpawnOptions,
  type SubagentTask,
  spawnEvent,
} from './subagent-task.js'

/** Whose log tells of a child: a session, or a subagent. */
export interface SubagentParent {
  readonly depth: number
  /** Of a subagent. */
  readonly task_id?: string | undefined
  append(event: NewEvent): Promise<unknown>
  appendSync(event: NewEvent): unknown
}

export interface SubagentsParts {
  readonly sessionId: string
  readonly settings: Omit<SessionSettings, 'onClosed'>
  /** End them when a signal comes; a session does that itself. */
  readonly handleSignals?: boolean | undefined
}

const OPEN_EXPECTED_MAX = 10

export class Subagents {
  readonly #sessionId: string
  readonly #settings: SubagentsParts['settings']
  readonly #isSignalled: boolean
  readonly #cap: SidechainCap
  /** In the order in which they were opened, so a child stands behind its parent. */
  readonly #open = new Set<Sidechain>()
  #stopListening: readonly (() => void)[] = []

  constructor({ sessionId, settings, handleSignals = false }: SubagentsParts) {
    this.#sessionId = sessionId
    this.#settings = settings
    this.#isSignalled = handleSignals
    this.#cap = new SidechainCap({
      maxBytes: settings.maxSidechainBytes,
      sizes: new SidechainSizes(settings.layout, sessionId),
      report: settings.report,
    })
  }

  /** Its log with header and prompt, then the spawn event in the log of its parent. */
  async spawn(options: SpawnOptions, parent: SubagentParent): Promise<Sidechain> {
    const task = this.#newTask(options, parent)
    const sidechain = this.#opened(task, await this.#create(task), parent)
    try {
      await parent.append(spawnEvent(task, this.#settings.layout.pathInStore(sidechain.path)))
    } catch (error) {
      // It ends at once; that its parent cannot be told of it is known already.
      await sidechain.finish({ status: 'failed', reason: 'spawn_failed' }).catch(() => {})
      throw error
    }
    this.#warnOfMany()
    return sidechain
  }

  /** Only the spawn event: whoever gets the task makes its log. */
  async delegate(options: SpawnOptions, parent: SubagentParent): Promise<SubagentTask> {
    if (!this.#settings.isPersistent) {
      const what = 'A session in memory (persist: false) is out of reach for another process'
      throw new SessionError('ERR_ARG', `${what}; spawn its subagents in this one`)
    }
    const task = this.#newTask(options, parent)
    const { layout } = this.#settings
    const { path, isTaken } = placeSidechain(task.task_id, this.#sessionId, layout)
    if (isTaken) throw existsError(task, path)
    await parent.append(spawnEvent(task, layout.pathInStore(path)))
    this.#cap.expect(path)
    return task
  }

  /** The log of a task of another process: a new one, or the one it left without an ending. */
  async open(task: SubagentTask): Promise<Sidechain> {
    const { path, isTaken } = placeSidechain(task.task_id, this.#sessionId, this.#settings.layout)
    const reopen = () => reopenSidechainLog(task, path, this.#settings)
    const log = isTaken ? await this.#cap.admit(0, reopen) : await this.#create(task)
    return this.#opened(task, log, undefined)
  }

  /** Appends the result of a child that ended; once, however often it is told. */
  async merge(child: Sidechain | LooseReport, parent: SubagentParent): Promise<MergedResult> {
    const told = child instanceof Sidechain ? child.report : child
    if (told === undefined) {
      throw new SessionError('ERR_ARG', `The subagent "${child.task_id}" has not ended yet`)
    }
    const report = settleReport(told)
    const { layout } = this.#settings
    const sidechain_path =
      told.sidechain_path ?? layout.pathInStore(layout.sidechainPath(report.task_id))
    const event = resultEvent({ ...report, sidechain_path })
    await parent.append(event)
    return { record: event.payload, errors: event.payload.errors }
  }

  /** Ends those that are open, or those of one parent, children before their parents. */
  async endAll(reason: string, parent?: SubagentParent): Promise<void> {
    for (const child of this.#openOf(parent)) {
      try {
        await child.finish({ status: 'aborted', reason })
      } catch (error) {
        // One that has its ending lacks only a parent that can be told, and is left alone.
        const cause = isSessionError(error) ? error.code : String(error)
        await child.abandon(cause).catch(() => {})
      }
    }
  }

  /** The same at once, for the last moments of a process. */
  endAllSync(reason: string): void {
    for (const child of this.#openOf(undefined)) {
      try {
        child.abortSync(reason)
      } catch {
        // A full disk for this one must not keep the others from their ending.
      }
    }
  }

  /** It has ended. */
  dismiss(child: Sidechain): void {
    this.#open.delete(child)
    if (this.#open.size > 0) return
    for (const stop of this.#stopListening) stop()
    this.#stopListening = []
  }

  #openOf(parent: SubagentParent | undefined): Sidechain[] {
    const open = [...this.#open].reverse()
    return parent === undefined ? open : open.filter((child) => child.parent === parent)
  }

  #newTask(options: SpawnOptions, { depth, task_id }: SubagentParent): SubagentTask {
    const { newUuid } = this.#settings.environment
    return newTask(options, { session_id: this.#sessionId, depth, task_id, newUuid })
  }

  #opened(task: SubagentTask, log: LogHandle, parent: SubagentParent | undefined): Sidechain {
    const settings = this.#settings
    const sidechain = new Sidechain({
      task,
      log,
      parent,
      settings,
      cap: this.#cap,
      subagents: this,
    })
    if (this.#open.size === 0) this.#listen()
    this.#open.add(sidechain)
    return sidechain
  }

  #listen(): void {
    const stops = [closeOnExit(() => this.endAllSync('exit'))]
    if (this.#isSignalled) stops.push(closeOnSignal(() => this.endAllSync('signal')))
    this.#stopListening = stops
  }

  #create(task: SubagentTask): Promise<LogHandle> {
    const startTs = new Date(this.#settings.environment.now()).toISOString()
    const events = openingEvents(task, startTs)
    const bytes = events.reduce((sum, event) => sum + lineBytesMax(event, null), 0)
    return this.#cap.admit(bytes, () => createSidechainLog(task, events, this.#settings))
  }

  #warnOfMany(): void {
    const count = this.#open.size
    if (count <= OPEN_EXPECTED_MAX) return
    const message = `${count} subagents of session "${this.#sessionId}" are open at once`
    this.#settings.report(diagnostic('many_sidechains', message))
  }
}
