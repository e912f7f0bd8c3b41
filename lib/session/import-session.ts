// A transcript of another program becomes a session of this store: found out what it is, read once
// from its first byte to its last, written in pieces, and accounted for.

import {
  type Counts,
  type DropReason,
  type Importer,
  REFUSALS,
  type Refusal,
  type RepairReason,
  type SourceFacts,
} from '../importers/index.js'
import { ForeignSource, type Layout, layoutOf, placeSidechain } from '../store/index.js'
import { findEarlier, SKIP_REASONS, type SkipReason } from './import-ledger.js'
import type { FoundTask } from './import-lines.js'
import { type ImportOptions, identify } from './import-options.js'
import { importOwn, isOwnExport } from './import-own.js'
import { type OneImport, runImport } from './import-pass.js'
import { listTasks, type TaskFile } from './import-tasks.js'

export interface ImportReport {
  readonly path: string
  readonly format: string | null
  readonly session_id: string | null
  /** Of the log of a subagent. */
  readonly task_id?: string | undefined
  readonly transcript_path: string | null
  /** Lines read, blank ones left out. */
  readonly lines: number
  /** Events made. */
  readonly events: number
  readonly dropped: Counts<DropReason>
  readonly repaired: Counts<RepairReason>
  /** Why nothing was done; `null` when something was. */
  readonly skipped: { readonly reason: SkipReason | Refusal; readonly message: string } | null
  /** Its subagents that lie in files of their own. */
  readonly sidechains: readonly ImportReport[]
}

/** Imports one file, and the logs of its subagents beside it. */
export async function importSession(
  path: string,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const source = new ForeignSource(path)
  try {
    if (isOwnExport(source, options)) return await importOwn(path, options)
    const known = identify(source, options)
    if ('reason' in known) return refused(source, known.reason)
    const { importer, facts } = known
    return facts.task_id === undefined
      ? await importWhole(source, importer, facts, options)
      : await importOne({ source, importer, facts, options, tasks: [] })
  } finally {
    source.close()
  }
}

async function importWhole(
  source: ForeignSource,
  importer: Importer,
  facts: SourceFacts,
  options: ImportOptions,
): Promise<ImportReport> {
  const tasks = listTasks(source.path, facts.session_id, options)
  const found = new Map<string, FoundTask>()
  const report = await importOne({ source, importer, facts, options, tasks, found })
  if (report.skipped !== null && report.skipped.reason !== 'unchanged') return report
  const sidechains: ImportReport[] = []
  for (const task of tasks) {
    sidechains.push(await importTask(task, found.get(task.task_id), facts.session_id, options))
  }
  return { ...report, sidechains }
}

async function importTask(
  { path, importer, facts, task_id, agent_type, tool_call_id }: TaskFile,
  found: FoundTask | undefined,
  session_id: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const source = new ForeignSource(path)
  try {
    const told = { task_id, agent_type, tool_call_id, spawn_uuid: null, ...found }
    const own = { ...facts, session_id, task_id }
    return await importOne({ source, importer, facts: own, options, tasks: [], told })
  } finally {
    source.close()
  }
}

async function importOne(one: OneImport): Promise<ImportReport> {
  const { source, importer, facts, options } = one
  const layout = layoutOf(options)
  const place = placeOf(facts, layout)
  const earlier = findEarlier(place, source)
  const base = {
    path: source.path,
    format: importer.format,
    session_id: facts.session_id,
    ...(facts.task_id !== undefined && { task_id: facts.task_id }),
    transcript_path: place,
    sidechains: [],
  }
  if (earlier.skip !== undefined) return { ...base, ...NOTHING, skipped: skipOf(earlier.skip) }
  const pass = await runImport({ ...one, layout, path: place, isThere: earlier.isThere })
  const { lines, events, dropped, repaired } = pass
  const isSame = events === 0 && earlier.ledger !== undefined
  const skipped = isSame ? skipOf('unchanged') : null
  return { ...base, lines, events, dropped, repaired, skipped }
}

function placeOf({ session_id, task_id }: SourceFacts, layout: Layout): string {
  return task_id === undefined
    ? layout.transcriptPath(session_id)
    : placeSidechain(task_id, session_id, layout).path
}

const NOTHING = { lines: 0, events: 0, dropped: {}, repaired: {} }

function skipOf(reason: SkipReason): NonNullable<ImportReport['skipped']> {
  return { reason, message: SKIP_REASONS[reason] }
}

function refused(source: ForeignSource, reason: Refusal): ImportReport {
  return {
    path: source.path,
    format: null,
    session_id: null,
    transcript_path: null,
    ...NOTHING,
    skipped: { reason, message: REFUSALS[reason] },
    sidechains: [],
  }
}
