// Imports a transcript of another program: its format is detected, it is read once from beginning to
// end, written in batches, and accounted for.

import {
  type Counts,
  type DropReason,
  type Importer,
  REFUSALS,
  type Refusal,
  type RepairReason,
} from '../../interchange/index.js'
import { ForeignSource, findSidechainTarget, type StoreContext } from '../../store/index.js'
import type { RedactionOptions } from '../settings.js'
import { findGivenTitle } from './given-title.js'
import {
  type IdentifiedSource,
  identifySource,
  importersFor,
  listTaskFiles,
  type TaskFile,
} from './identify.js'
import { importExportFile, isExportFile } from './import-export.js'
import type { FoundTask } from './log-ends.js'
import { type ImportRequest, type InlineTask, runImport } from './pass.js'
import { readPreviousImport, SKIP_REASONS, type SkipReason } from './previous-import.js'
import { findSessionFiles, findTaskFile, type ImportSource, planSources } from './sources.js'

export interface ImportOptions extends RedactionOptions {
  /**
   * The program that wrote the file: `claude-code`, `codex`, `pi` or `gemini`; `jsonl-session` for
   * our own export.
   *
   * @default 'auto': detected by the content
   */
  from?: string | undefined
  /**
   * Writes nothing, and reports what would be written.
   *
   * @default false
   */
  dryRun?: boolean | undefined
  /**
   * Stores a copy of the source, named by its hash.
   *
   * @default false
   */
  keepSource?: boolean | undefined
  /**
   * Called every few megabytes.
   *
   * @default none
   */
  onProgress?: ((done: ImportProgress) => void) | undefined
}

/** How far an import has read. */
export interface ImportProgress {
  readonly path: string
  readonly bytes: number
  readonly size: number
}

/** Where an import repaired something. */
export interface RepairPlace {
  readonly reason: RepairReason
  readonly path: string
  readonly byteOffset: number
}

/** What an import read, wrote and dropped; of a file that has grown, in its new part. */
export interface ImportReport {
  readonly path: string
  readonly format: string | null
  readonly sessionId: string | null
  /** Of the log of a subagent. */
  readonly taskId?: string | undefined
  readonly transcriptPath: string | null
  /** Lines read, without blank ones. */
  readonly lines: number
  /** Events written. */
  readonly events: number
  readonly dropped: Counts<DropReason>
  readonly repaired: Counts<RepairReason>
  /** Structures that the importer does not know and the model might see, by type. */
  readonly uninterpreted: Readonly<Record<string, number>>
  /** Where repairs were made: the first few of each reason. */
  readonly places: readonly RepairPlace[]
  /** All files of the session, in order, where it has several. */
  readonly files?: readonly string[] | undefined
  /** Why nothing was written; `null` when something was. */
  readonly skipped: { readonly reason: SkipReason | Refusal; readonly message: string } | null
  /** Subagents, in files of their own or between the lines of the session. */
  readonly sidechains: readonly ImportReport[]
}

const NOTHING = {
  lines: 0,
  events: 0,
  dropped: {},
  repaired: {},
  uninterpreted: {},
  places: [],
  sidechains: [],
}

/** Imports one file, and the logs of its subagents beside it. */
export async function importSession(
  store: StoreContext,
  path: string,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { from = 'auto' } = options
  const source = new ForeignSource(store, path)
  try {
    if (isExportFile(source, from)) return await importExportFile(store, path, options)
    const importers = importersFor(from)
    return await importForeign(store, source, importers, options)
  } finally {
    source.close()
  }
}

/** The same for a file that is open and not an export of ours. */
export async function importForeign(
  store: StoreContext,
  source: ForeignSource,
  importers: readonly Importer[],
  options: ImportOptions,
): Promise<ImportReport> {
  const identified = identifySource(source, importers)
  if ('refusal' in identified) return toRefusal(source, identified.refusal)
  return identified.facts.taskId === undefined
    ? await importWithTasks(store, source, { identified, importers, options })
    : await importOne(store, { ...identified, source, options, tasks: [] })
}

async function importWithTasks(
  store: StoreContext,
  source: ForeignSource,
  {
    identified,
    importers,
    options,
  }: {
    identified: IdentifiedSource
    importers: readonly Importer[]
    options: ImportOptions
  },
): Promise<ImportReport> {
  const { sessionId } = identified.facts
  const tasks = listTaskFiles(store, source.path, sessionId, importers)
  const found = new Map<string, FoundTask>()
  const report = await importOne(store, { ...identified, source, options, tasks, found })
  if (report.skipped !== null && report.skipped.reason !== 'unchanged') return report
  const sidechains: ImportReport[] = []
  for (const file of tasks) {
    const task = { spawnUuid: null, ...file, ...found.get(file.taskId) }
    sidechains.push(await importTask(store, file, { sessionId, task, options, found }))
  }
  // Subagents that the transcript names, and those that they name in turn.
  for (const [taskId, task] of found) {
    if (tasks.some((file) => file.taskId === taskId)) continue
    const file = findTaskFile(store, source.path, { ...identified, taskId })
    if (file === undefined) continue
    sidechains.push(await importTask(store, file, { sessionId, task, options, found }))
  }
  return { ...report, sidechains: [...report.sidechains, ...sidechains] }
}

async function importTask(
  store: StoreContext,
  { path, importer, facts, taskId }: TaskFile,
  {
    sessionId,
    task,
    options,
    found,
  }: {
    sessionId: string
    task: FoundTask
    options: ImportOptions
    found: Map<string, FoundTask>
  },
): Promise<ImportReport> {
  const source = new ForeignSource(store, path)
  try {
    const own = { ...facts, sessionId, taskId }
    return await importOne(store, { source, importer, facts: own, options, tasks: [], task, found })
  } finally {
    source.close()
  }
}

/** One session or subagent, whose files are found by one of them. */
interface OneImport extends Omit<ImportRequest, 'path' | 'exists' | 'sources' | 'isFirst'> {
  readonly source: ForeignSource
}

async function importOne(store: StoreContext, request: OneImport): Promise<ImportReport> {
  const { source, importer, facts } = request
  const { sessionId, taskId } = facts
  const isTask = taskId !== undefined
  const path = isTask
    ? findSidechainTarget(store, taskId, sessionId).path
    : store.layout.transcriptPath(sessionId)
  const base = {
    path: source.path,
    format: importer.format,
    sessionId,
    ...(isTask && { taskId }),
    transcriptPath: path,
    ...NOTHING,
    skipped: null,
  }
  const previous = readPreviousImport(store, path)
  const { exists } = previous
  const files = findSessionFiles(store, source, request)
  let sources: readonly ImportSource[] = []
  try {
    const plan = planSources(store, files, { previous, importer })
    if ('skip' in plan) return { ...base, skipped: toSkip(plan.skip) }
    sources = plan.sources
    // Files of another session may come first.
    const first = files.find((one) => one.facts.sessionId === sessionId)
    const title = isTask ? undefined : findGivenTitle(store, source.path, { importer, sessionId })
    const own = { ...facts, ...first?.facts, sessionId, taskId, title }
    const run = { ...request, ...plan, facts: own, path, exists }
    const { tasks, ...counts } = await runImport(store, run)
    const isUnchanged = counts.events === 0 && !plan.isFirst
    return {
      ...base,
      ...counts,
      sidechains: tasks.map((task) => toInlineReport(base, task)),
      ...(sources.length > 1 && { files: sources.map((one) => one.path) }),
      skipped: isUnchanged ? toSkip('unchanged') : null,
    }
  } finally {
    // The caller closes the file that it opened.
    const opened = new Set([...files, ...sources].map(({ file }) => file))
    for (const file of opened) if (file !== source) file?.close()
  }
}

/** Its lines are those of the session, which reports what was lost. */
function toInlineReport(session: ImportReport, { taskId, path, events }: InlineTask): ImportReport {
  return { ...session, ...NOTHING, taskId, transcriptPath: path, lines: events, events }
}

function toSkip(reason: SkipReason): NonNullable<ImportReport['skipped']> {
  return { reason, message: SKIP_REASONS[reason] }
}

function toRefusal({ path }: ForeignSource, reason: Refusal): ImportReport {
  const skipped = { reason, message: REFUSALS[reason] }
  return { path, format: null, sessionId: null, transcriptPath: null, ...NOTHING, skipped }
}
