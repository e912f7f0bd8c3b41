// One pass over the files of a session, or two: lines to records, records to events, events to logs.
// Memory holds the state of the importer and one batch of events for each log, never a file.

import { resolve } from 'node:path'
import { fieldsOf } from '../../chain/index.js'
import {
  type Counts,
  type DropReason,
  decodeForeign,
  type ImportedEvent,
  type ImportedTask,
  type ImportRun,
  type ImportSink,
  type RecordPlace,
  type RepairReason,
  type TaskEnding,
} from '../../interchange/index.js'
import { type NewEvent, readLogSync } from '../../log/index.js'
import { type ForeignSource, findSidechainTarget, type StoreContext } from '../../store/index.js'
import { Accounts, placeOf } from './accounts.js'
import type { IdentifiedSource, TaskFile } from './identify.js'
import type { ImportOptions, RepairPlace } from './import-session.js'
import {
  type FoundTask,
  sessionEnd,
  sessionHeader,
  startOf,
  taskEnd,
  taskHeader,
} from './log-ends.js'
import type { Ledger } from './previous-import.js'
import { OVERSIZE, Progress, readAgain, surveySource } from './read-source.js'
import type { ImportSource } from './sources.js'
import { ImportTarget } from './target.js'

/** The files of a session to one log, or to several where they also hold subagents. */
export interface ImportRequest extends IdentifiedSource {
  /** In order. */
  readonly sources: readonly ImportSource[]
  /** No import was recorded before. */
  readonly isFirst: boolean
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

type SourceLedger = Omit<Ledger, 'tip_uuid' | 'events'> & Pick<Ledger, 'source'>

export interface ImportCounts {
  readonly lines: number
  readonly events: number
  readonly dropped: Counts<DropReason>
  readonly repaired: Counts<RepairReason>
  readonly uninterpreted: Readonly<Record<string, number>>
  readonly places: readonly RepairPlace[]
  /** Subagents whose lines are between those of the session; their events are counted above. */
  readonly tasks: readonly InlineTask[]
}

export interface InlineTask {
  readonly taskId: string
  readonly path: string
  readonly events: number
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
  readonly #accounts: Accounts
  readonly #tasks: Map<string, FoundTask>
  /** By task; that of the file itself under the empty name. */
  readonly #targets = new Map<string, ImportTarget>()
  /** Events for logs that are not open yet, because opening one is asynchronous. */
  #waiting: { task: string; event: ImportedEvent; size: number }[] = []
  #recordChars = 0

  constructor(store: StoreContext, request: ImportRequest) {
    this.#store = store
    this.#request = request
    this.#accounts = new Accounts(request.sources)
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
    const { sources, importer, facts, tasks } = this.#request
    const files = new Map(tasks.map((file) => [file.taskId, file]))
    const reread = (place: RecordPlace) => readAgain(sources, place)
    const run = importer.start({ facts, sink: this, reread, tasks: files })
    const progress = new Progress(this.#request, run.survey === undefined ? 1 : 2)
    if (run.survey !== undefined) {
      for (const source of sources) surveySource(source, { run, importer, progress })
    }
    for (const source of sources) {
      run.open?.(source)
      if (source.file === undefined) this.#recall(run, source)
      else await this.#readSource(source, source.file, run, progress)
    }
    run.end?.(this.#accounts.bytes)
    await this.#flush()
  }

  /** The file is gone: its events in the log take its place. */
  #recall(run: ImportRun, { source }: ImportSource): void {
    if (run.recall === undefined) return
    const { path } = this.#request
    for (const entry of readLogSync(path, { environment: this.#store.env })) {
      if (entry.kind !== 'event') continue
      const { event } = entry
      const { imported_from } = fieldsOf(event.payload)
      if (imported_from === undefined || fieldsOf(imported_from)['source'] !== source) continue
      run.recall({ ...event, payload: fieldsOf(event.payload) })
    }
  }

  async #readSource(
    { source, end: to }: ImportSource,
    file: ForeignSource,
    run: ImportRun,
    progress: Progress,
  ): Promise<void> {
    const { isRecord } = this.#request.importer
    const account = this.#accounts.of(source)
    for (const line of file.lines(to)) {
      const { byte_offset: byteOffset, length, isEnded } = line
      const end = byteOffset + length + (isEnded ? 1 : 0)
      const decoded = line.isOversize ? OVERSIZE : decodeForeign(line, isRecord, { source })
      if (decoded.isDamaged && !isEnded) {
        // Its program may still be writing it; the next import reads it again.
        account.drop('unfinished_line', byteOffset)
        break
      }
      account.bytes = end
      if (decoded.isBlank) continue
      account.addLine(decoded, byteOffset)
      if (decoded.isDamaged) run.damage?.({ byteOffset, length, source })
      for (const record of decoded.records) {
        this.#recordChars = record.length
        run.add(record)
      }
      if (this.#isFull) await this.#flush()
      progress.add(end, source)
    }
    progress.finish(to)
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
      onRefused: (payload) => this.#accounts.drop('refused', placeOf(payload)),
    })
    this.#targets.set(name, target)
    return target
  }

  async finish(): Promise<ImportCounts> {
    const { options, exists } = this.#request
    const events = [...this.#targets.values()].reduce((sum, { added }) => sum + added, 0)
    if (options.dryRun !== true && (events > 0 || !exists)) {
      const ledgers = this.#ledgers()
      for (const [task, target] of this.#targets) await this.#end(task, target, ledgers)
    }
    const tasks = [...this.#targets].flatMap(([taskId, { path, added }]) =>
      taskId === '' ? [] : { taskId, path, events: added },
    )
    return { ...this.#accounts.report, events, tasks }
  }

  /** What is recorded of each source from which something new was read. */
  #ledgers(): SourceLedger[] {
    const { sources, options, importer } = this.#request
    const { layout } = this.#store
    return sources.flatMap(({ file, source, path, ledger }) => {
      const { bytes, lines, total } = this.#accounts.of(source)
      if (file === undefined || bytes === ledger?.bytes) return []
      const sha256 = file.sha256(bytes)!
      const kept = options.keepSource ? file.keep(bytes, sha256) : undefined
      const { dropped, repaired, uninterpreted } = total
      return {
        format: importer.format,
        path: resolve(path),
        bytes,
        sha256,
        lines,
        dropped,
        repaired,
        ...(Object.keys(uninterpreted).length > 0 && { uninterpreted }),
        ...(kept !== undefined && { kept_source: layout.pathInStore(kept) }),
        ...(source !== undefined && { source }),
        ...(sources.length > 1 && { sources: sources.length }),
      }
    })
  }

  async #end(task: string, target: ImportTarget, ledgers: readonly SourceLedger[]): Promise<void> {
    const { facts } = this.#request
    const ts = target.lastTs ?? startOf(facts)
    await target.finish(({ tip, size }) => {
      const imported = ledgers.map((ledger): NewEvent => {
        const payload = { ...ledger, events: target.addedFrom(ledger.source), tip_uuid: tip }
        return { type: 'imported', ts, payload }
      })
      if (task === '' && facts.taskId === undefined) return [...imported, sessionEnd(ts, tip, size)]
      const found = task === '' ? this.#request.task : this.#tasks.get(task)
      const ending = found?.ending ?? { success: true, summary: target.lastReply }
      return [...imported, taskEnd(ts, ending, size)]
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

  dropped(reason: DropReason, place: RecordPlace): void {
    this.#accounts.drop(reason, place)
  }

  repaired(reason: RepairReason, place: RecordPlace): void {
    this.#accounts.repair(reason, place)
  }

  uninterpreted(type: string, place: RecordPlace): void {
    this.#accounts.leaveUninterpreted(type, place)
  }

  task(task: ImportedTask): void {
    this.#tasks.set(task.taskId, { ...task })
  }

  taskEnded(taskId: string, ending: TaskEnding): void {
    const task = this.#tasks.get(taskId)
    if (task !== undefined) task.ending = ending
  }
}
