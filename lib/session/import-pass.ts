// One pass over a foreign file: lines to records, records to events, events to logs. Memory holds
// what the importer remembers and one piece of events for each log, never the file.

import { resolve } from 'node:path'
import {
  type Counts,
  type DecodedLine,
  type DropReason,
  decodeForeign,
  type ImportedEvent,
  type ImportedTask,
  type Importer,
  type ImportSink,
  Losses,
  type RepairReason,
  type SourceFacts,
  type TaskEnding,
} from '../importers/index.js'
import type { NewEvent } from '../log/index.js'
import { type ForeignSource, type Layout, placeSidechain } from '../store/index.js'
import type { Ledger } from './import-ledger.js'
import {
  type FoundTask,
  sessionEnd,
  sessionHeader,
  startOf,
  taskEnd,
  taskHeader,
} from './import-lines.js'
import type { ImportOptions } from './import-options.js'
import { ImportTarget } from './import-target.js'
import type { TaskFile } from './import-tasks.js'

// How often somebody who watches is told.
const PROGRESS_BYTES = 4 * 1024 * 1024

/** Of a line that no reader can hold nothing is taken. */
const OVERSIZE: DecodedLine = { records: [], isDamaged: true, isMended: false, isBlank: false }

/** One file to one log, or to several where it holds subagents, too. */
export interface OneImport {
  readonly source: ForeignSource
  readonly importer: Importer
  readonly facts: SourceFacts
  readonly options: ImportOptions
  readonly tasks: readonly TaskFile[]
  readonly found?: Map<string, FoundTask> | undefined
  /** What the session tells about a subagent. */
  readonly told?: FoundTask | undefined
}

export interface PassRequest extends OneImport {
  readonly layout: Layout
  readonly path: string
  readonly isThere: boolean
}

export interface ImportPass {
  readonly lines: number
  readonly events: number
  readonly dropped: Counts<DropReason>
  readonly repaired: Counts<RepairReason>
}

export async function runImport(request: PassRequest): Promise<ImportPass> {
  const pass = new Pass(request)
  try {
    await pass.open()
    await pass.read()
    return await pass.finish()
  } finally {
    await pass.close()
  }
}

class Pass implements ImportSink {
  readonly #request: PassRequest
  readonly #losses = new Losses()
  readonly #tasks: Map<string, FoundTask>
  /** By task; the session's own under the empty name. */
  readonly #targets = new Map<string, ImportTarget>()
  /** Events for logs that are not open yet: opening one takes a moment. */
  #waiting: { task: string; event: ImportedEvent; size: number }[] = []
  #recordChars = 0
  #lines = 0
  #bytes = 0

  constructor(request: PassRequest) {
    this.#request = request
    this.#tasks = request.found ?? new Map()
  }

  async open(): Promise<void> {
    const { path, facts, importer, options, isThere } = this.#request
    const isTask = facts.task_id !== undefined
    const target = await ImportTarget.open(
      {
        path,
        channel: isTask ? 'sidechain' : 'transcript',
        options,
        isDry: options.dryRun === true,
        header: isTask
          ? taskHeader(facts.task_id!, facts, this.#request.told)
          : sessionHeader(facts, importer.format, options),
        onRefused: () => this.#losses.drop('refused'),
      },
      isThere,
    )
    this.#targets.set('', target)
  }

  async read(): Promise<void> {
    const { source, importer, facts, options, tasks } = this.#request
    const known = new Map(tasks.map((task) => [task.task_id, task]))
    const run = importer.start({ facts, sink: this, tasks: known })
    let toldAt = 0
    for (const line of source.lines()) {
      const { byte_offset, length, isEnded } = line
      const end = byte_offset + length + (isEnded ? 1 : 0)
      const decoded = line.isOversize ? OVERSIZE : decodeForeign(line, importer.isRecord)
      if (decoded.isDamaged && !isEnded) {
        // It may be whole the next time; until then it was not read.
        this.#losses.drop('unfinished_line')
        break
      }
      this.#bytes = end
      if (decoded.isBlank) continue
      this.#lines++
      if (decoded.isMended || (decoded.isDamaged && decoded.records.length > 0)) {
        this.#losses.repair('salvaged')
      } else if (decoded.isDamaged) this.#losses.drop('damaged')
      if (decoded.isDamaged) run.damage()
      for (const record of decoded.records) {
        this.#recordChars = record.length
        run.take(record)
      }
      if (this.#isFull) await this.#flush()
      if (end - toldAt < PROGRESS_BYTES) continue
      toldAt = end
      options.onProgress?.({ path: source.path, bytes: end, size: source.size })
    }
    run.end(this.#bytes)
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

  async #openTask(task: string): Promise<ImportTarget> {
    const { facts, layout, options } = this.#request
    const { path, isTaken } = placeSidechain(task, facts.session_id, layout)
    const target = await ImportTarget.open(
      {
        path,
        channel: 'sidechain',
        options,
        isDry: options.dryRun === true,
        header: taskHeader(task, facts, this.#tasks.get(task)),
        onRefused: () => this.#losses.drop('refused'),
      },
      isTaken,
    )
    this.#targets.set(task, target)
    return target
  }

  async finish(): Promise<ImportPass> {
    const { source, options, layout, importer } = this.#request
    const isDry = options.dryRun === true
    const { dropped, repaired } = this.#losses
    const events = [...this.#targets.values()].reduce((sum, { added }) => sum + added, 0)
    if (!isDry && (events > 0 || this.#request.isThere === false)) {
      const sha256 = source.sha256(this.#bytes)!
      const kept =
        options.keepSource === true ? source.keep(this.#bytes, sha256, layout) : undefined
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
    const ts = target.lastTs ?? startOf(this.#request.facts)
    const isMain = task === '' && this.#request.facts.task_id === undefined
    await target.finish(({ tip, size }) => {
      const payload = { ...account, events: target.added, tip_uuid: tip } as Ledger
      const imported: NewEvent = { type: 'imported', ts, payload }
      if (isMain) return [imported, sessionEnd(ts, tip, size)]
      const told = task === '' ? this.#request.told : this.#tasks.get(task)
      return [
        imported,
        taskEnd(ts, told?.ending ?? { isSuccess: true, summary: target.lastReply }, size),
      ]
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

  /** Where the log of a subagent lies, only the store knows. */
  #withPath(event: ImportedEvent): ImportedEvent {
    const { layout, facts } = this.#request
    const { path } = placeSidechain(String(event.payload['task_id']), facts.session_id, layout)
    return { ...event, payload: { ...event.payload, sidechain_path: layout.pathInStore(path) } }
  }

  dropped(reason: DropReason): void {
    this.#losses.drop(reason)
  }

  repaired(reason: RepairReason): void {
    this.#losses.repair(reason)
  }

  task(task: ImportedTask): void {
    this.#tasks.set(task.task_id, { ...task })
  }

  taskEnded(taskId: string, ending: TaskEnding): void {
    const task = this.#tasks.get(taskId)
    if (task !== undefined) task.ending = ending
  }
}
