// Checks logs for damage. Reads only.

import type { Diagnostic } from '../../../format/index.js'
import { listHeaders, listTranscripts, type VerifyReport, verifyLog } from '../../../store/index.js'
import { type Call, type Command, UsageError } from '../../command.js'
import { findLog } from '../../input/target.js'
import { type Colors, colorsOf } from '../../output/colors.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { printJson } from '../../output/print.js'
import { withProgress } from '../../output/progress.js'
import { reportError } from '../../output/report-error.js'
import { plural } from '../../output/units.js'

const LESSON = `Checks every line, every checksum, every link and every payload. Nothing is changed.

Examples:
  $ jsonl-session verify demo
  ok  /home/ada/.jsonl-session/.transcripts/demo.jsonl  2 events, all reachable

  $ jsonl-session verify old.jsonl
  2 findings  old.jsonl  41 events, all reachable
    bad_line (1)
      line 17, bytes 4096–4179: The line is not JSON
    dangling_prev (1)
      line 18, byte 4181: It follows "9d1f…", which is not in the log before it  0b0e…

Exit codes:
  0 no findings · 1 findings, or nothing to check · 2 wrong use, or a file could not be read
  3 not found
`

export const verify: Command = {
  name: 'verify',
  summary: 'Check logs for damage, broken chains and bad events; reads only',
  operand: '[target...]',
  operandText: 'sessions or log files',
  options: [
    { name: 'all', text: 'every transcript of the store' },
    { name: 'project', value: 'P', text: 'with --all: only sessions of this project' },
  ],
  lesson: LESSON,

  async run(call) {
    const isJson = call.has('json')
    const colors = colorsOf(call)
    const reports: VerifyReport[] = []
    const targets = readTargets(call)
    // Nothing to check does not mean healthy: a mistyped root must not pass.
    const exitCodes: number[] = targets.length === 0 ? [EXIT.no] : []
    for (const target of targets) {
      const report = await verifyOne(call, target)
      if (typeof report === 'number') {
        exitCodes.push(report)
        continue
      }
      reports.push(report)
      if (report.findings.length > 0) exitCodes.push(EXIT.no)
      if (isJson) continue
      await call.output.write(reportText(report, colors))
      await call.output.flush()
    }
    if (isJson) await printJson(call, reports)
    for (const advice of adviceFor(reports)) call.notes.say(advice)
    // A file that could not be read matters more than one that is missing, and that more than
    // findings: nothing is known of what was not read.
    const worst = [EXIT.failed, EXIT.notFound, EXIT.no]
    return worst.find((exitCode) => exitCodes.includes(exitCode)) ?? EXIT.done
  },
}

/** The report, or the exit code of an error: one unreadable file does not stop the others. */
async function verifyOne(call: Call, target: string): Promise<VerifyReport | number> {
  try {
    const path = findLog(call, target)
    return await withProgress(call, `Reading ${path}`, () => verifyLog(call.store, path))
  } catch (error) {
    return reportError(error, { io: call.io, isJson: call.has('json'), commandName: 'verify' })
  }
}

function readTargets(call: Call): readonly string[] {
  const { operands } = call
  const project = call.value('project')
  if (!call.has('all')) {
    if (project !== undefined) throw new UsageError('--project needs --all')
    if (operands.length > 0) return operands
    throw new UsageError('verify needs a session, a file, or --all')
  }
  if (operands.length > 0) throw new UsageError('--all and targets cannot be combined')
  const paths = project === undefined ? listTranscripts(call.store) : listPathsOf(call, project)
  const whose = project === undefined ? '' : ` of ${project}`
  if (paths.length === 0) {
    call.notes.say(`No transcripts${whose} in ${call.store.layout.transcripts}`)
  }
  return paths
}

/** The project of an unreadable file is unknown, so it is checked as well. */
function listPathsOf(call: Call, project: string): readonly string[] {
  const { sessions, skipped } = listHeaders(call.store, { project })
  return [...sessions, ...skipped].map(({ path }) => path).sort()
}

// A file of another tool may have one finding of the same kind per line.
const SHOWN_PER_CODE_MAX = 10

const ADVICE: Partial<Record<Diagnostic['code'], string>> = {
  partial_tail: 'A partial last line was never acknowledged; the next append isolates it.',
  unverified:
    'Unverified lines were written by another tool, or an editor; they are read as they are.',
  dangling_prev: 'Events that follow a missing one are read in the order of the file.',
}

const DAMAGE: readonly Diagnostic['code'][] = [
  'bad_line',
  'crc_mismatch',
  'nul_padding',
  'interrupted_record',
]

export function reportText(report: VerifyReport, colors: Colors): string {
  const { path, findings } = report
  const counts = `${plural(report.events, 'event')}, ${reachableShare(report)}`
  if (findings.length === 0) return `${colors.green('ok')}  ${toPlainText(path)}  ${counts}\n`
  const headline = colors.red(plural(findings.length, 'finding'))
  const groups = [...groupByCode(findings)].map(([code, group]) => groupText(code, group, colors))
  return `${headline}  ${toPlainText(path)}  ${counts}\n${groups.join('')}`
}

/** What to do next, each advice once. */
export function adviceFor(reports: readonly VerifyReport[]): string[] {
  const codes = new Set(reports.flatMap(({ findings }) => findings.map(({ code }) => code)))
  const advice = [...codes].flatMap((code) => ADVICE[code] ?? [])
  if (DAMAGE.some((code) => codes.has(code))) {
    advice.unshift(
      'Damaged lines cost only themselves; `jsonl-session log <file> --from OFFSET` shows what is around them.',
    )
  }
  return advice
}

function groupText(code: string, group: readonly Diagnostic[], colors: Colors): string {
  const color = group[0]!.severity === 'error' ? colors.red : colors.yellow
  const rows = group.slice(0, SHOWN_PER_CODE_MAX).map((finding) => `    ${rowOf(finding)}\n`)
  const hidden = group.length - rows.length
  const rest = hidden > 0 ? `    … and ${hidden} more; --json shows all\n` : ''
  return `  ${color(code)} (${group.length})\n${rows.join('')}${rest}`
}

function rowOf({ line_number, byte_offset, length, message, uuid }: Diagnostic): string {
  const where = [
    line_number === undefined ? [] : `line ${line_number}`,
    byte_offset === undefined ? [] : bytesOf(byte_offset, length),
  ]
  const who = uuid === undefined ? '' : `  ${toPlainText(uuid)}`
  const place = where.flat().join(', ')
  return `${place === '' ? '' : `${place}: `}${toPlainText(message)}${who}`
}

function bytesOf(byte_offset: number, length: number | undefined): string {
  if (length === undefined) return `byte ${byte_offset}`
  return `bytes ${byte_offset}–${byte_offset + length - 1}`
}

function reachableShare({ reachable, onChain }: VerifyReport): string {
  if (reachable === onChain) return 'all reachable'
  const share = Math.floor((100 * reachable) / onChain)
  return `${reachable} of ${onChain} on the chain reachable (${share}%)`
}

function groupByCode(findings: readonly Diagnostic[]): Map<string, Diagnostic[]> {
  const groups = new Map<string, Diagnostic[]>()
  for (const finding of findings) {
    const group = groups.get(finding.code)
    if (group === undefined) groups.set(finding.code, [finding])
    else group.push(finding)
  }
  return groups
}
