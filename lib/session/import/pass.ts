// One pass over a foreign file: lines to records, records to events, events to logs. Memory holds
// the state of the importer and one batch of events for each log, never the file.

import { resolve } from 'node:path'
import { FORMAT_VERSION, UNKNOWN_TIME, withoutUndefined } from '../../format/index.js'
import {
  type Counts,
  type DecodedLine,
  type DropReason,
  decodeForeign,
  HEADER_UUID,
  type ImportedEvent,
  type ImportedTask,
  type ImportSink,
  Losses,
  type RepairReason,
  type SourceFacts,
  type TaskEnding,
} from '../../interchange/index.js'
import type { NewEvent } from '../../log/index.js'
import {
  type ForeignSource,
  findSidechainTarget,
  normalizeProject,
  type StoreContext,
} from '../../store/index.js'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../version.js'
import { headerPayload } from '../header.js'
import { settleEnding, terminatorEvent } from '../subagents/result.js'
import type { IdentifiedSource, ImportOptions, TaskFile } from './import-session.js'
import type { Ledger } from './previous-import.js'
import { ImportTarget } from './target.js'

const PROGRESS_BYTES = 4 * 1024 * 1024

/** A line too long to be read holds no records. */
const OVERSIZE: DecodedLine = { records: [], isDamaged: true, isRepaired: false, isBlank: false }

/** One file to one log, or to several where it also holds subagents. */
export interface ImportRequest extends IdentifiedSource {
  readonly source: ForeignSource
  readonly options: ImportOptions
  /** Subagents in files of their own. */
  readonly tasks: readonly TaskFile[]
  /** Filled with the subagents that the session names. */
  readonly found?: Map<string, FoundTask> | undefined
  /** What is known about the subagent whose log this is. */
  readonly task?: FoundTask | undefined
  /** The log to write, and whether it exists. */
  readonly path: string
  readonly exists: boolean
}

export interface ImportCounts {
  readonly lines: number
  readonly events: number
  readonly dropped: Counts<DropReason>
  readonly repaired: Counts<RepairReason>
}

export async function runImport(
  store: StoreContext,
  request: ImportRequest,
): Promise<ImportCounts> {
  const pass = new Pass(store, request)
  try {
    await pass.open()
    await pass.read()
    return await pass.finish()
  } finally {
    await pass.close()
  }
}

class Pass implements ImportSink {
  readonly #store: StoreContext
  readonly #request: ImportRequest
  readonly #losses = new Losses()
  readonly #tasks: Map<string, FoundTask>
  /** By task; that of the file itself under the empty name. */
  readonly #targets = new Map<string, ImportTarget>()
  /** Events for logs that are not open yet, because opening one is asynchronous. */
  #waiting: { task: string; event: ImportedEvent; size: number }[] = []
  #recordChars = 0
  #lines = 0
  #bytes = 0

  constructor(store: StoreContext, request: ImportRequest) {
    this.#store = store
    this.#request = request
    this.#tasks = request.found ?? new Map()
  }

  async open(): Promise<void> {
    const { path, facts, importer, exists, task } = this.#request
    const { taskId } = facts
    const header =
      taskId === undefined
        ? sessionHeader(this.#store, facts, importer.format)
        : taskHeader(facts, taskId, task)
    await this.#openTarget('', { path, header, exists, isTask: taskId !== undefined })
  }

  async read(): Promise<void> {
    const { source, importer, facts, options, tasks } = this.#request
    const files = new Map(tasks.map((file) => [file.taskId, file]))
    const run = importer.start({ facts, sink: this, tasks: files })
    let reportedAt = 0
    for (const line of source.lines()) {
      const { byte_offset, length, isEnded } = line
      const end = byte_offset + length + (isEnded ? 1 : 0)
      const decoded = line.isOversize ? OVERSIZE : decodeForeign(line, importer.isRecord)
      if (decoded.isDamaged && !isEnded) {
        // Its program may still be writing it; the next import reads it again.
        this.#losses.drop('unfinished_line')
        break
      }
      this.#bytes = end
      if (decoded.isBlank) continue
      this.#lines++
      if (decoded.isRepaired || (decoded.isDamaged && decoded.records.length > 0)) {
        this.#losses.repair('salvaged')
      } else if (decoded.isDamaged) this.#losses.drop('damaged')
      if (decoded.isDamaged) run.damage?.()
      for (const record of decoded.records) {
        this.#recordChars = record.length
        run.add(record)
      }
      if (this.#isFull) await this.#flush()
      if (end - reportedAt < PROGRESS_BYTES) continue
      reportedAt = end
      options.onProgress?.({ path: source.path, bytes: end, size: source.size })
    }
    run.end?.(this.#bytes)
    await this.#flush()
  }

  get #isFull(): boolean {
    if (this.#waiting.length > 0) return true
    for (const target of this.#targets.values()) if (target.isFull) return true
    return false
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { task, event, size } of waiting) {
      const target = this.#targets.get(task) ?? (await this.#openTask(task))
      target.add(event, size)
    }
    for (const target of this.#targets.values()) await target.flush()
  }

  #openTask(task: string): Promise<ImportTarget> {
    const { facts } = this.#request
    const { path, taken } = findSidechainTarget(this.#store, task, facts.sessionId)
    const header = taskHeader(facts, task, this.#tasks.get(task))
    return this.#openTarget(task, { path, header, exists: taken, isTask: true })
  }

  async #openTarget(
    name: string,
    log: { path: string; header: NewEvent; exists: boolean; isTask: boolean },
  ): Promise<ImportTarget> {
    const { dryRun = false, redactOnWrite } = this.#request.options
    const target = await ImportTarget.open(this.#store, {
      ...log,
      channel: log.isTask ? 'sidechain' : 'transcript',
      dryRun,
      redactOnWrite,
      onRefused: () => this.#losses.drop('refused'),
    })
    this.#targets.set(name, target)
    return target
  }

  async finish(): Promise<ImportCounts> {
    const { source, options, importer, exists } = this.#request
    const { dropped, repaired } = this.#losses
    const events = [...this.#targets.values()].reduce((sum, { added }) => sum + added, 0)
    if (options.dryRun !== true && (events > 0 || !exists)) {
      const { layout } = this.#store
      const sha256 = source.sha256(this.#bytes)!
      const kept = options.keepSource ? source.keep(this.#bytes, sha256) : undefined
      const account: Omit<Ledger, 'tip_uuid' | 'events'> = {
        format: importer.format,
        path: resolve(source.path),
        bytes: this.#bytes,
        sha256,
        lines: this.#lines,
        dropped,
        repaired,
        ...(kept !== undefined && { kept_source: layout.pathInStore(kept) }),
      }
      for (const [task, target] of this.#targets) await this.#end(task, target, account)
    }
    return { lines: this.#lines, events, dropped: this.#losses.dropped, repaired }
  }

  async #end(task: string, target: ImportTarget, account: object): Promise<void> {
    const { facts } = this.#request
    const ts = target.lastTs ?? startOf(facts)
    await target.finish(({ tip, size }) => {
      const payload = { ...account, events: target.added, tip_uuid: tip } as Ledger
      const imported: NewEvent = { type: 'imported', ts, payload }
      if (task === '' && facts.taskId === undefined) return [imported, sessionEnd(ts, tip, size)]
      const found = task === '' ? this.#request.task : this.#tasks.get(task)
      const ending = found?.ending ?? { success: true, summary: target.lastReply }
      return [imported, taskEnd(ts, ending, size)]
    })
  }

  async close(): Promise<void> {
    for (const target of this.#targets.values()) await target.close()
  }

  event(event: ImportedEvent): void {
    const { task = '' } = event
    const own = event.type.startsWith('subagent_') ? this.#withPath(event) : event
    const target = this.#targets.get(task)
    if (target === undefined) this.#waiting.push({ task, event: own, size: this.#recordChars })
    else target.add(own, this.#recordChars)
  }

  /** Only the store knows the path of a subagent's log. */
  #withPath(event: ImportedEvent): ImportedEvent {
    const { sessionId } = this.#request.facts
    const { path } = findSidechainTarget(this.#store, String(event.payload['task_id']), sessionId)
    const sidechain_path = this.#store.layout.pathInStore(path)
    return { ...event, payload: { ...event.payload, sidechain_path } }
  }

  dropped(reason: DropReason): void {
    this.#losses.drop(reason)
  }

  repaired(reason: RepairReason): void {
    this.#losses.repair(reason)
  }

  task(task: ImportedTask): void {
    this.#tasks.set(task.taskId, { ...task })
  }

  taskEnded(taskId: string, ending: TaskEnding): void {
    const task = this.#tasks.get(taskId)
    if (task !== undefined) task.ending = ending
  }
}

/** A subagent, by the transcript of its session or by the files beside its log. */
export interface FoundTask extends Omit<ImportedTask, 'spawnUuid'> {
  readonly spawnUuid: string | null
  ending?: TaskEnding | undefined
}

export function startOf({ startTs }: SourceFacts): string {
  return startTs ?? UNKNOWN_TIME
}

export function sessionHeader(store: StoreContext, facts: SourceFacts, harness: string): NewEvent {
  const { cwd } = facts
  const ts = startOf(facts)
  const { cwd: _, ...payload } = headerPayload(store, facts.sessionId, ts, {
    harness,
    project: cwd,
    projectNormalized: cwd === undefined ? undefined : normalizeProject(store, cwd),
    kind: facts.kind,
    parentSessionKey: facts.parentSessionKey,
    previousSessionKey: facts.previousSessionKey,
    capture: 'import',
  })
  // Not the folder of this process.
  const own = cwd === undefined ? payload : { ...payload, cwd }
  return { type: 'session_header', uuid: HEADER_UUID, ts, payload: own }
}

export function taskHeader(facts: SourceFacts, taskId: string, task?: FoundTask): NewEvent {
  const ts = startOf(facts)
  const payload = withoutUndefined({
    format: FORMAT_VERSION,
    task_id: taskId,
    parent_session_id: facts.sessionId,
    parent_uuid: task?.spawnUuid ?? null,
    depth: 1,
    start_ts: ts,
    agent_type: task?.agentType,
    tool_call_id: task?.toolCallId,
    lib: { name: PACKAGE_NAME, version: PACKAGE_VERSION, capture: 'import' },
  })
  return { type: 'sidechain_header', uuid: HEADER_UUID, ts, payload }
}

export function sessionEnd(ts: string, last_uuid: string | null, bytes: number): NewEvent {
  const payload = { end_ts: ts, reason: 'import', last_uuid, events: null, bytes }
  return { type: 'session_terminator', ts, payload }
}

export function taskEnd(ts: string, { success, summary }: TaskEnding, bytes: number): NewEvent {
  const settled = settleEnding({ status: success ? 'completed' : 'failed', summary })
  return { ...terminatorEvent(settled, { bytes, now: Date.parse(ts) }), ts }
}
