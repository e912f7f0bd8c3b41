// What a check found, for people: one headline per file, then the findings by kind.

import type { Diagnostic } from '../format/index.js'
import type { VerifyReport } from '../store/index.js'
import type { Colors } from './colors.js'
import { toPlainText } from './plain-text.js'
import { plural } from './plural.js'

// A file of another tool has one finding of the same kind per line; nobody reads a thousand.
const SHOWN_PER_CODE_MAX = 10

const ADVICE: Partial<Record<Diagnostic['code'], string>> = {
  torn_tail:
    'A torn end is left alone: nobody was told that it was written, and the next append isolates it.',
  unverified:
    'Unverified lines were written by another tool, or an editor; they are read as they are.',
  dangling_prev: 'Events that follow a missing one are read in the order of the file.',
}

const DAMAGE: readonly Diagnostic['code'][] = [
  'bad_line',
  'crc_mismatch',
  'nul_padding',
  'spliced_record',
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
      'Damaged lines cost only themselves; `jsonl-session log <file> --from OFFSET` shows what stands around them.',
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
    line_number === undefined ? undefined : `line ${line_number}`,
    byte_offset === undefined ? undefined : bytesOf(byte_offset, length),
  ]
  const who = uuid === undefined ? '' : `  ${toPlainText(uuid)}`
  const place = where.filter(Boolean).join(', ')
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
