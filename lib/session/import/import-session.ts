// Imports a transcript of another program: its format is detected, it is read once from beginning to
// end, written in batches, and accounted for.

import { SessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import {
  type Counts,
  type DropReason,
  detectFormat,
  findImporter,
  IMPORTERS,
  type Importer,
  REFUSALS,
  type Refusal,
  type RepairReason,
  type SourceFacts,
} from '../../interchange/index.js'
import {
  ForeignSource,
  findSidechainTarget,
  listForeignTasks,
  type StoreContext,
} from '../../store/index.js'
import type { RedactionOptions } from '../settings.js'
import { importExportFile, isExportFile } from './import-export.js'
import { type FoundTask, type ImportRequest, runImport } from './pass.js'
import { readPreviousImport, SKIP_REASONS, type SkipReason } from './previous-import.js'

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

/** What an import read, wrote and dropped. */
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
  /** Why nothing was written; `null` when something was. */
  readonly skipped: { readonly reason: SkipReason | Refusal; readonly message: string } | null
  /** Subagents that have files of their own. */
  readonly sidechains: readonly ImportReport[]
}

const NOTHING = { lines: 0, events: 0, dropped: {}, repaired: {}, sidechains: [] }

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
    const identified = identifySource(source, from)
    if ('refusal' in identified) return toRefusal(source, identified.refusal)
    return identified.facts.taskId === undefined
      ? await importWithTasks(store, source, identified, options)
      : await importOne(store, { ...identified, source, options, tasks: [] })
  } finally {
    source.close()
  }
}

async function importWithTasks(
  store: StoreContext,
  source: ForeignSource,
  identified: IdentifiedSource,
  options: ImportOptions,
): Promise<ImportReport> {
  const { sessionId } = identified.facts
  const tasks = listTaskFiles(store, source.path, sessionId, options.from ?? 'auto')
  const found = new Map<string, FoundTask>()
  const report = await importOne(store, { ...identified, source, options, tasks, found })
  if (report.skipped !== null && report.skipped.reason !== 'unchanged') return report
  const sidechains: ImportReport[] = []
  for (const file of tasks) {
    const task = { spawnUuid: null, ...file, ...found.get(file.taskId) }
    sidechains.push(await importTask(store, file, { sessionId, task, options }))
  }
  return { ...report, sidechains }
}

async function importTask(
  store: StoreContext,
  { path, importer, facts, taskId }: TaskFile,
  { sessionId, task, options }: { sessionId: string; task: FoundTask; options: ImportOptions },
): Promise<ImportReport> {
  const source = new ForeignSource(store, path)
  try {
    const own = { ...facts, sessionId, taskId }
    return await importOne(store, { source, importer, facts: own, options, tasks: [], task })
  } finally {
    source.close()
  }
}

async function importOne(
  store: StoreContext,
  request: Omit<ImportRequest, 'path' | 'exists'>,
): Promise<ImportReport> {
  const { source, importer, facts } = request
  const { sessionId, taskId } = facts
  const transcriptPath =
    taskId === undefined
      ? store.layout.transcriptPath(sessionId)
      : findSidechainTarget(store, taskId, sessionId).path
  const previous = readPreviousImport(store, transcriptPath, source)
  const base = {
    path: source.path,
    format: importer.format,
    sessionId,
    ...(taskId !== undefined && { taskId }),
    transcriptPath,
    ...NOTHING,
  }
  if (previous.skip !== undefined) return { ...base, skipped: toSkip(previous.skip) }
  const { exists } = previous
  const counts = await runImport(store, { ...request, path: transcriptPath, exists })
  const isUnchanged = counts.events === 0 && previous.ledger !== undefined
  return { ...base, ...counts, skipped: isUnchanged ? toSkip('unchanged') : null }
}

function toSkip(reason: SkipReason): NonNullable<ImportReport['skipped']> {
  return { reason, message: SKIP_REASONS[reason] }
}

function toRefusal({ path }: ForeignSource, reason: Refusal): ImportReport {
  const skipped = { reason, message: REFUSALS[reason] }
  return { path, format: null, sessionId: null, transcriptPath: null, ...NOTHING, skipped }
}

export interface IdentifiedSource {
  readonly importer: Importer
  readonly facts: SourceFacts
}

/** A file with the log of a subagent. */
export interface TaskFile extends IdentifiedSource {
  readonly path: string
  readonly taskId: string
  readonly agentType?: string | undefined
  readonly toolCallId?: string | undefined
}

export function identifySource(
  source: ForeignSource,
  from: string,
): IdentifiedSource | { readonly refusal: Refusal } {
  const importers = from === 'auto' ? IMPORTERS : [requireImporter(from)]
  const detection = detectFormat(source.head(), { importers })
  if ('refusal' in detection) return detection
  const { importer, first } = detection
  const values = first.map(({ value }) => value)
  const facts = importer.describe(values, source.name)
  return { importer, facts: { ...facts, sessionId: normalizeSessionKey(facts.sessionId) } }
}

/** Files beside the transcript that hold subagents of its session, by their content. */
export function listTaskFiles(
  store: StoreContext,
  path: string,
  sessionId: string,
  from: string,
): TaskFile[] {
  return listForeignTasks(store, path, sessionId).flatMap((file) => {
    const source = new ForeignSource(store, file.path)
    try {
      const identified = identifySource(source, from)
      if ('refusal' in identified) return []
      const { taskId, sessionId: owner } = identified.facts
      // A file that names its session must name this one; others are in a folder of its name.
      if (taskId !== undefined && owner !== sessionId) return []
      const { agent_type: agentType, tool_call_id: toolCallId } = file
      return [{ ...identified, path: file.path, agentType, toolCallId, taskId: taskId ?? owner }]
    } finally {
      source.close()
    }
  })
}

function requireImporter(format: string): Importer {
  const importer = findImporter(format)
  if (importer !== undefined) return importer
  const formats = IMPORTERS.map((one) => one.format).join(', ')
  const what = `"${format}" is not a known format: ${formats}`
  throw new SessionError('ERR_ARG', what, { from: format })
}
