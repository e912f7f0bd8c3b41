// Transcripts of other programs become sessions.

import { basename } from 'node:path'
import { isSessionError } from '../../../errors.js'
import {
  DROP_REASONS,
  type DropReason,
  IMPORTERS,
  REPAIR_REASONS,
  type RepairReason,
} from '../../../interchange/index.js'
import { type ImportOptions, type ImportReport, importSession } from '../../../session/index.js'
import { type KnownLocation, listForeignFiles, listKnownLocations } from '../../../store/index.js'
import { type Call, type Command, DRY_RUN, UsageError } from '../../command.js'
import { readChoice, resolveFile } from '../../input/arguments.js'
import { withStdinFile } from '../../input/ndjson.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'
import { withCounter } from '../../output/progress.js'
import { plural } from '../../output/units.js'

const LESSON = `Reads transcripts of Claude Code, Codex, pi and Gemini CLI and writes each as a session, which can
be listed, searched and resumed like any other. An export of this program restores its session.
Sources are only read. What is not imported is counted and named; permission modes, approvals and
sandbox policies never are imported. An unchanged file imports nothing, a longer one only what
is new, and one whose past has changed is rejected. Without a path it shows what it finds at the
known locations of each program; --all imports all of it. - reads one transcript as JSON lines from
stdin, which must be whole: export demo | ssh host jsonl-session import -

Examples:
  $ jsonl-session import ~/.claude/projects/-home-ada-app/0b0e7a52.jsonl
  imported 0b0e7a52 from claude-code: 214 lines, 209 events
    dropped 3: permission modes, approvals and sandbox policies are never stored

  $ jsonl-session import --all --dry-run --json
  [{"path":"…","format":"codex","sessionId":"…","lines":80,"events":77,"dropped":{},…}]

Exit codes:
  0 imported, unchanged, or shown · 1 no transcripts were found
  2 wrong use, rejected, or failed · 3 not found · 4 stdin or an export is incomplete
`

const FORMATS = ['auto', ...IMPORTERS.map(({ format }) => format), 'jsonl-session']

export const importCommand: Command = {
  name: 'import',
  summary: 'Import transcripts of other programs',
  operand: '[path...]',
  operandText: 'files, or folders with transcripts in them; - for one on stdin',
  options: [
    {
      name: 'from',
      value: 'F',
      text: 'auto, claude-code, codex, pi, gemini or jsonl-session (default: auto)',
      values: FORMATS,
    },
    { name: 'all', text: 'everything at the known locations of each program' },
    { name: 'keep-source', text: 'keep a copy of each source in the store' },
    DRY_RUN,
  ],
  lesson: LESSON,

  async run(call) {
    const from = readChoice(call, 'from', FORMATS)
    const isNamed = call.operands.length > 0
    if (call.has('all') && isNamed) throw new UsageError('--all and a path cannot be combined')
    const places = isNamed ? [] : listKnownLocations(call.store, IMPORTERS)
    const wanted = places.filter(
      ({ format }) => from === undefined || from === 'auto' || format === from,
    )
    if (!isNamed && !call.has('all')) return showPlaces(call, wanted)
    if (call.operands.includes('-')) return importStdin(call, from)
    const files = isNamed
      ? call.operands.flatMap((path) => listForeignFiles(call.store, resolveFile(call, path)))
      : wanted.flatMap((place) => place.files)
    const isDry = call.has('dry-run')
    const reports = await importFiles(call, files, {
      from,
      dryRun: isDry,
      keepSource: call.has('keep-source'),
    })
    const exitCode = await printAnswer(call, {
      json: reports,
      lines: () => reports.flatMap((report) => toReportLines(report, { isDry })),
      no: files.length === 0 ? noneText(call) : undefined,
    })
    return exitCode === EXIT.done ? exitCodeOf(reports) : exitCode
  },
}

async function importStdin(call: Call, from: string | undefined): Promise<number> {
  if (call.operands.length > 1) throw new UsageError('- and a path cannot be combined')
  const dryRun = call.has('dry-run')
  const options = { from, dryRun, keepSource: call.has('keep-source') }
  const imported = await withStdinFile(call, (path) => importSession(call.store, path, options))
  const report = { ...imported, path: '-' }
  await printAnswer(call, {
    json: [report],
    lines: () => toReportLines(report, { isDry: dryRun }),
  })
  return exitCodeOf([report])
}

function showPlaces(call: Call, places: readonly KnownLocation[]): Promise<number> {
  const isEmpty = places.length === 0
  return printAnswer(call, {
    json: places,
    lines: () =>
      places.map(
        ({ format, folder, files }) => `${format}\t${files.length}\t${toPlainText(folder)}`,
      ),
    notes: isEmpty ? [] : ['import all of them with --all, or name a path'],
    no: isEmpty ? noneText(call) : undefined,
  })
}

function noneText({ operands }: Call): string {
  if (operands.length === 0) return 'no transcripts at the known locations; name a path'
  return `no transcripts in ${toPlainText(operands.join(', '))}`
}

/** A report whose file could not be read, or whose session could not be written. */
type FileReport = Omit<ImportReport, 'skipped'> & {
  readonly skipped: { readonly reason: string; readonly message: string } | null
}

/** With progress on a terminal, once it takes longer than a second. */
function importFiles(
  call: Call,
  files: readonly string[],
  options: ImportOptions,
): Promise<FileReport[]> {
  return withCounter(call, async (report) => {
    const reports: FileReport[] = []
    for (const [index, file] of files.entries()) {
      const which = files.length === 1 ? '' : `${index + 1}/${files.length} `
      const name = `importing ${which}${toPlainText(basename(file))}`
      const onProgress: ImportOptions['onProgress'] = ({ bytes, size }) =>
        report(`${name} … ${Math.floor((bytes / size) * 100)} %`)
      report(`${name} …`)
      try {
        reports.push(await importSession(call.store, file, { ...options, onProgress }))
      } catch (error) {
        // A single file fails the command.
        if (files.length === 1 || !isSessionError(error)) throw error
        reports.push(toFailedReport(file, error.code, error.message))
      }
    }
    return reports
  })
}

function toFailedReport(path: string, reason: string, message: string): FileReport {
  return {
    path,
    format: null,
    sessionId: null,
    transcriptPath: null,
    lines: 0,
    events: 0,
    dropped: {},
    repaired: {},
    uninterpreted: {},
    places: [],
    skipped: { reason, message },
    sidechains: [],
  }
}

/** An unchanged file is not a failure. */
function exitCodeOf(reports: readonly FileReport[]): number {
  const all = reports.flatMap((report) => [report, ...report.sidechains])
  const isFailed = ({ skipped }: FileReport) => skipped !== null && skipped.reason !== 'unchanged'
  return all.some(isFailed) ? EXIT.failed : EXIT.done
}

/** What was imported, and every loss with its reason. */
function toReportLines(report: FileReport, { isDry }: { isDry: boolean }): string[] {
  const { path, format, sessionId, taskId, lines, events, skipped } = report
  const children = report.sidechains
    .flatMap((child) => toReportLines(child, { isDry }))
    .map((line) => `  ${line}`)
  if (skipped !== null) {
    const word = skipped.reason === 'unchanged' ? 'unchanged' : 'not imported'
    return [`${word} ${toPlainText(path)}: ${toPlainText(skipped.message)}`, ...children]
  }
  const name = toPlainText(taskId ?? sessionId ?? '')
  const verb = isDry ? 'would import' : 'imported'
  const what = taskId === undefined ? '' : 'subagent '
  return [
    `${verb} ${what}${name} from ${format}: ${plural(lines, 'line')}, ${plural(events, 'event')}`,
    ...toFileLines(report),
    ...toLossLines('dropped', report.dropped, (reason) => DROP_REASONS[reason as DropReason]),
    ...toLossLines('repaired', report.repaired, (reason) => {
      const text = REPAIR_REASONS[reason as RepairReason]
      return `${text}${toPlaceText(report, reason)}`
    }),
    ...toUninterpretedLines(report.uninterpreted),
    ...children,
  ]
}

/** One line: what the model might have seen, and this session does not show. */
function toUninterpretedLines(counts: Readonly<Record<string, number>>): string[] {
  const types = Object.entries(counts).map(([type, count]) => `${toPlainText(type)} ${count}`)
  return types.length === 0 ? [] : [`  kept but not interpreted: ${types.join(', ')}`]
}

function toLossLines(
  what: string,
  counts: Readonly<Record<string, number>>,
  textOf: (reason: string) => string,
): string[] {
  return Object.entries(counts).map(([reason, count]) => `  ${what} ${count}: ${textOf(reason)}`)
}

const SHOWN_PLACES_MAX = 3

/** Where it was repaired: ` (byte 125, byte 300, …)`. */
function toPlaceText({ places, files }: FileReport, reason: string): string {
  const found = places.filter((place) => place.reason === reason)
  const texts = found.slice(0, SHOWN_PLACES_MAX).map(({ path, byteOffset }) => {
    const file = files === undefined ? '' : `${toPlainText(basename(path))} `
    return `${file}byte ${byteOffset}`
  })
  if (texts.length === 0) return ''
  return ` (${texts.join(', ')}${found.length > SHOWN_PLACES_MAX ? ', …' : ''})`
}

function toFileLines({ files = [] }: FileReport): string[] {
  return files.map((file) => `  read ${toPlainText(file)}`)
}
