// The subagents of one session in this process: how they start, which of them are open, and that
// none of them stays open without an ending when its parent ends.

import { toIso } from '../../environment/index.js'
import { isSessionError, SessionError } from '../../errors.js'
import { fieldsOf } from '../../format/fields.js'
import { diagnostic } from '../../format/index.js'
import {
  type LogHandle,
  type NewEvent,
  openLog,
  openMemoryLog,
  readLogSync,
} from '../../log/index.js'
import {
  findSidechain,
  findSidechainTarget,
  hasEnding,
  SidechainSizes,
  type StoreContext,
} from '../../store/index.js'
import { type SessionOptions, type SessionSettings, settingsOf } from '../settings.js'
import { closeOnExit, closeOnSignal } from '../signals.js'
import { ByteLimit, lineBytesMax } from './byte-limit.js'
import { type MergedResult, resultEvent, type SubagentReportInput, settleReport } from './result.js'
import { Sidechain } from './sidechain.js'
import {
  newTask,
  normalizeTask,
  openingEvents,
  type SpawnOptions,
  type SubagentTask,
  spawnEvent,
} from './task.js'

/** Whose log records a child: a session, or a subagent. */
export interface SubagentParent {
  readonly depth: number
  /** Of a subagent. */
  readonly taskId?: string | undefined
  append(event: NewEvent): Promise<unknown>
  appendSync(event: NewEvent): unknown
}

export interface SubagentsParts {
  readonly sessionId: string
  readonly settings: Omit<SessionSettings, 'onClosed'>
  /** End them when a signal arrives; a session does that itself. */
  readonly handleSignals?: boolean | undefined
}

const OPEN_EXPECTED_MAX = 10

/**
 * Opens the log of a task in a process of its own: a new one with its prompt as the first event, or
 * the one that a process left without an ending, which its task id alone also names. Throws
 * ERR_EXISTS if it has ended. The parent merges what `finish` returns.
 */
export async function openSidechain(
  store: StoreContext,
  task: SubagentTask | string,
  options: SessionOptions = {},
): Promise<Sidechain> {
  const normalized = normalizeTask(typeof task === 'string' ? readTask(store, task) : task)
  const settings = settingsOf(store, options)
  const { sessionId } = normalized
  const subagents = new Subagents({ sessionId, settings, handleSignals: options.handleSignals })
  return subagents.open(normalized)
}

/** The task of a log that exists: its header, and the prompt that follows it. */
function readTask(store: StoreContext, taskId: string): SubagentTask {
  const { path, parentSessionId, parentTaskId, agentType, toolCallId, ...origin } = findSidechain(
    store,
    taskId,
  )
  let prompt: unknown
  for (const entry of readLogSync(path, { environment: store.env })) {
    if (entry.kind !== 'event' || entry.event.type !== 'user') continue
    prompt = fieldsOf(entry.event.payload)['content']
    break
  }
  if (parentSessionId === null || origin.depth === null || prompt === undefined) {
    const what = `The header or the prompt of ${path} is damaged; pass the whole task to open it`
    throw new SessionError('ERR_DAMAGED', what, { path, taskId })
  }
  return {
    taskId: origin.taskId,
    sessionId: parentSessionId,
    parentUuid: origin.parentUuid,
    depth: origin.depth,
    prompt: prompt as SubagentTask['prompt'],
    parentTaskId: parentTaskId ?? undefined,
    agentType: agentType ?? undefined,
    toolCallId: toolCallId ?? undefined,
  }
}

export class Subagents {
  readonly #sessionId: string
  readonly #settings: SubagentsParts['settings']
  readonly #handleSignals: boolean
  readonly #limit: ByteLimit
  /** In the order in which they were opened, so a child comes after its parent. */
  readonly #open = new Set<Sidechain>()
  #stopListening: readonly (() => void)[] = []

  constructor({ sessionId, settings, handleSignals = false }: SubagentsParts) {
    this.#sessionId = sessionId
    this.#settings = settings
    this.#handleSignals = handleSignals
    this.#limit = new ByteLimit({
      maxBytes: settings.maxSidechainBytes,
      sizes: new SidechainSizes(settings.store, sessionId),
      report: (found) => settings.store.report(found),
    })
  }

  /** Creates its log with header and prompt, then appends the spawn event to its parent. */
  async spawn(options: SpawnOptions, parent: SubagentParent): Promise<Sidechain> {
    const task = this.#newTask(options, parent)
    const sidechain = this.#opened(task, await this.#create(task), parent)
    try {
      await parent.append(spawnEvent(task, this.#pathInStore(sidechain.path)))
    } catch (error) {
      // Its own log gets an ending; the parent cannot be written.
      await sidechain.finish({ status: 'failed', reason: 'spawn_failed' }).catch(() => {})
      throw error
    }
    this.#warnOfMany()
    return sidechain
  }

  /** Appends only the spawn event: the process that gets the task creates its log. */
  async delegate(options: SpawnOptions, parent: SubagentParent): Promise<SubagentTask> {
    const { isPersistent, store } = this.#settings
    if (!isPersistent) {
      const what = 'Another process cannot reach a session in memory (persist: false)'
      throw new SessionError('ERR_ARG', `${what}; spawn its subagents in this one`)
    }
    const task = this.#newTask(options, parent)
    const { path, taken } = findSidechainTarget(store, task.taskId, this.#sessionId)
    if (taken) throw existsError(task, path)
    await parent.append(spawnEvent(task, this.#pathInStore(path)))
    this.#limit.expect(path)
    return task
  }

  /** Opens the log of a task: a new one, or the one that was left without an ending. */
  async open(task: SubagentTask): Promise<Sidechain> {
    const { store } = this.#settings
    const { path, taken } = findSidechainTarget(store, task.taskId, this.#sessionId)
    const reopen = () => reopenSidechainLog(this.#settings, task, path)
    const log = taken ? await this.#limit.admit(0, reopen) : await this.#create(task)
    return this.#opened(task, log, undefined)
  }

  /** Appends the result of a child that ended. The same result is written only once. */
  async merge(
    child: Sidechain | SubagentReportInput,
    parent: SubagentParent,
  ): Promise<MergedResult> {
    const input = child instanceof Sidechain ? child.report : child
    if (input === undefined) {
      throw new SessionError('ERR_ARG', `The subagent "${child.taskId}" has not ended yet`)
    }
    const report = settleReport(input)
    const { layout } = this.#settings.store
    const sidechainPath =
      input.sidechainPath ?? this.#pathInStore(layout.sidechainPath(report.taskId))
    const event = resultEvent({ ...report, sidechainPath })
    await parent.append(event)
    return { record: event.payload, errors: event.payload.errors }
  }

  /** Ends those that are open, or those of one parent, children before their parents. */
  async endAll(reason: string, parent?: SubagentParent): Promise<void> {
    for (const child of this.#listOpen(parent)) {
      try {
        await child.finish({ status: 'aborted', reason })
      } catch (error) {
        // If it has its ending, only its parent could not be written, and it is left alone.
        const cause = isSessionError(error) ? error.code : String(error)
        await child.abandon(cause).catch(() => {})
      }
    }
  }

  /** Ends all of them synchronously, for exit and signal handlers. */
  endAllSync(reason: string): void {
    for (const child of this.#listOpen(undefined)) {
      try {
        child.abortSync(reason)
      } catch {
        // A full disk for this one must not keep the others from their ending.
      }
    }
  }

  /** Removes one that has ended. */
  remove(child: Sidechain): void {
    this.#open.delete(child)
    if (this.#open.size > 0) return
    for (const stop of this.#stopListening) stop()
    this.#stopListening = []
  }

  #listOpen(parent: SubagentParent | undefined): Sidechain[] {
    const open = [...this.#open].reverse()
    return parent === undefined ? open : open.filter((child) => child.parent === parent)
  }

  #newTask(options: SpawnOptions, { depth, taskId }: SubagentParent): SubagentTask {
    const { newUuid } = this.#settings.store.env
    return newTask(options, { sessionId: this.#sessionId, depth, taskId, newUuid })
  }

  #opened(task: SubagentTask, log: LogHandle, parent: SubagentParent | undefined): Sidechain {
    const shared = { settings: this.#settings, limit: this.#limit, subagents: this }
    const sidechain = new Sidechain({ task, log, parent, ...shared })
    if (this.#open.size === 0) this.#listen()
    this.#open.add(sidechain)
    return sidechain
  }

  #listen(): void {
    const { host } = this.#settings.store.env
    const stops = [closeOnExit(host, () => this.endAllSync('exit'))]
    if (this.#handleSignals) stops.push(closeOnSignal(host, () => this.endAllSync('signal')))
    this.#stopListening = stops
  }

  #create(task: SubagentTask): Promise<LogHandle> {
    const events = openingEvents(task, toIso(this.#settings.store.env.now()))
    const bytes = events.reduce((sum, event) => sum + lineBytesMax(event, null), 0)
    return this.#limit.admit(bytes, () => createSidechainLog(this.#settings, task, events))
  }

  #pathInStore(path: string): string {
    return this.#settings.store.layout.pathInStore(path)
  }

  #warnOfMany(): void {
    const count = this.#open.size
    if (count <= OPEN_EXPECTED_MAX) return
    const message = `${count} subagents of session "${this.#sessionId}" are open`
    this.#settings.store.report(diagnostic('many_sidechains', message))
  }
}

type Settings = Pick<SessionSettings, 'store' | 'log' | 'isPersistent'>

// Between the creation of a file and its first line, another process cannot know its owner. That
// takes milliseconds.
const RETRIES_MAX = 40
const RETRY_MS = 5

/** A task has one log, so this throws ERR_EXISTS if there is one already. */
export async function createSidechainLog(
  settings: Settings,
  task: SubagentTask,
  events: readonly NewEvent[],
): Promise<LogHandle> {
  const { sessionId, taskId } = task
  const log = settings.isPersistent
    ? await openEmpty(settings, task)
    : openMemoryLog(`${sessionId}/${taskId}`, { ...settings.log, channel: 'sidechain' })
  try {
    await log.appendAll(events)
    return log
  } catch (error) {
    await log.close().catch(() => {})
    throw error
  }
}

export async function reopenSidechainLog(
  settings: Settings,
  task: SubagentTask,
  path: string,
): Promise<LogHandle> {
  const log = await open(settings, path)
  // Checked under the lock: no other process can end it now.
  if (!hasEnding(settings.store, path)) return log
  await log.close()
  throw existsError(task, path)
}

export function existsError({ taskId, sessionId }: SubagentTask, path: string): SessionError {
  const what = `Session "${sessionId}" already has a subagent for task "${taskId}"`
  return new SessionError('ERR_EXISTS', what, { taskId, sessionId, path })
}

async function openEmpty(settings: Settings, task: SubagentTask): Promise<LogHandle> {
  const { store } = settings
  for (let retries = 0; ; retries++) {
    const { path, taken } = findSidechainTarget(store, task.taskId, task.sessionId)
    if (taken) throw existsError(task, path)
    try {
      const log = await open(settings, path)
      if (log.size === 0) return log
      // Another process was faster; its header shows which session it belongs to.
      await log.close()
    } catch (error) {
      if (!isSessionError(error, 'ERR_LOCKED') || retries === RETRIES_MAX) throw error
      await store.env.timers.sleep(RETRY_MS)
    }
  }
}

function open({ log }: Settings, path: string): Promise<LogHandle> {
  return openLog(path, { ...log, channel: 'sidechain' })
}
