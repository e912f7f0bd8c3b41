// The health of a store for people: how much there is, who holds what, and what was found.

import type { Fixed, StoreFinding, StoreHealth } from '../store/index.js'
import type { Colors } from './colors.js'
import { toPlainText } from './plain-text.js'
import { plural } from './plural.js'
import { sizeOf } from './session-table.js'

// One screen: of many findings of one kind the first ones are enough to know what to do.
const SHOWN_PER_CODE_MAX = 5
const NAMES_SHOWN_MAX = 5
const LABEL_CHARS = 12

export function doctorText(health: StoreHealth, colors: Colors): string {
  const lines = [...sizeLines(health), ...stateLines(health)]
  return [...lines, '', ...findingLines(health, colors)].map((line) => `${line}\n`).join('')
}

/** Each thing that was done, or could not be. */
export function fixedText(fixed: readonly Fixed[], colors: Colors): string {
  return fixed
    .map(({ path, what, error }) => {
      const deed = what === 'chmod' ? 'took the rights of others from' : 'removed'
      if (error === null) return `${colors.green('fixed')}  ${deed} ${toPlainText(path)}\n`
      return `${colors.red('not fixed')}  ${toPlainText(path)}: ${toPlainText(error)}\n`
    })
    .join('')
}

function sizeLines({ root, home, channels }: StoreHealth): string[] {
  const shown = channels.filter(({ files }) => files > 0)
  const rows = shown.map(({ channel, files, bytes }) =>
    row(channel, `${plural(files, 'file').padEnd(10)}  ${sizeOf(bytes)}`),
  )
  const total = shown.reduce((sum, { bytes }) => sum + bytes, 0)
  const places =
    root === home
      ? [row('store', toPlainText(root))]
      : [row('store', toPlainText(root)), row('home', toPlainText(home))]
  return [...places, ...rows, row('together', sizeOf(total))]
}

function stateLines({ locks, claims, history, unknown }: StoreHealth): string[] {
  const holders = locks.held.map(({ pid }) => pid)
  const who = holders.length === 0 ? '' : ` by ${[...new Set(holders)].slice(0, 5).join(', ')}`
  const { limits } = history
  const lines = [
    row('locks', `${locks.mode}, ${locks.held.length} held${who}`),
    row('claims', `${claims.active} active, ${claims.expired} expired`),
    row(
      'history',
      `${history.entries} of ${limits.entries} entries, ${sizeOf(history.bytes)} of ${sizeOf(limits.bytes)}`,
    ),
  ]
  if (unknown.length === 0) return lines
  const names = unknown.slice(0, NAMES_SHOWN_MAX).map(toPlainText).join(', ')
  const rest =
    unknown.length > NAMES_SHOWN_MAX ? ` and ${unknown.length - NAMES_SHOWN_MAX} more` : ''
  return [...lines, row('not known', `${names}${rest}; left alone`)]
}

function findingLines({ findings, isDeep }: StoreHealth, colors: Colors): string[] {
  if (findings.length === 0) {
    return [
      `${colors.green('healthy')}  ${isDeep ? 'every line was read' : 'both ends of each log'}`,
    ]
  }
  const shown = new Map<string, number>()
  const lines: string[] = []
  for (const finding of findings) {
    const kind = `${finding.severity} ${finding.code}`
    const count = (shown.get(kind) ?? 0) + 1
    shown.set(kind, count)
    if (count <= SHOWN_PER_CODE_MAX) lines.push(...linesOf(finding, colors))
  }
  for (const [kind, count] of shown) {
    const hidden = count - SHOWN_PER_CODE_MAX
    if (hidden > 0) lines.push(`… and ${hidden} more of ${kind}; --json shows all`)
  }
  return lines
}

function linesOf({ severity, code, path, message }: StoreFinding, colors: Colors): string[] {
  const color = { error: colors.red, warning: colors.yellow, info: colors.dim }[severity]
  return [`${color(severity)}  ${code}  ${toPlainText(path)}`, `  ${toPlainText(message)}`]
}

function row(label: string, text: string): string {
  return `${label.padEnd(LABEL_CHARS)} ${text}`
}
