// The account of an import for people: what came in, and every loss with its reason.

import { DROP_REASONS, REPAIR_REASONS } from '../importers/index.js'
import type { FileReport } from './import-files.js'
import { toPlainText } from './plain-text.js'
import { plural } from './plural.js'

export function reportText(report: FileReport, { isDry }: { isDry: boolean }): string {
  const { path, format, session_id, task_id, lines, events, skipped } = report
  const name = toPlainText(task_id ?? session_id ?? '')
  if (skipped !== null) {
    const word = skipped.reason === 'unchanged' ? 'unchanged' : 'not imported'
    return `${word} ${toPlainText(path)}: ${toPlainText(skipped.message)}\n${children(report, isDry)}`
  }
  const verb = isDry ? 'would import' : 'imported'
  const what = task_id === undefined ? '' : 'subagent '
  const rows = [
    `${verb} ${what}${name} from ${format}: ${plural(lines, 'line')}, ${plural(events, 'event')}`,
    ...told('dropped', report.dropped, DROP_REASONS),
    ...told('repaired', report.repaired, REPAIR_REASONS),
  ]
  return `${rows.join('\n')}\n${children(report, isDry)}`
}

function children({ sidechains }: FileReport, isDry: boolean): string {
  return sidechains
    .map((child) => `  ${reportText(child, { isDry }).replace(/\n(?=.)/g, '\n  ')}`)
    .join('')
}

function told(
  what: string,
  counts: Readonly<Record<string, number>>,
  reasons: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(counts).map(
    ([reason, count]) => `  ${what} ${count}: ${reasons[reason] ?? reason}`,
  )
}
