// The health of a store on one screen.

import {
  examineStore,
  type Fix,
  fixStore,
  type StoreFinding,
  type StoreHealth,
} from '../../../store/index.js'
import { type Call, type Command, DRY_RUN } from '../../command.js'
import { type Colors, colorsOf } from '../../output/colors.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'
import { withCounter } from '../../output/progress.js'
import { formatSize, plural } from '../../output/units.js'

const LESSON = `Checks the store of every agent: both ends of each log, its links, modes and locks, references
between sessions, and leftovers. --deep reads every line, as verify does. Only --fix changes
anything: it removes the access of other users, and what unfinished writes left more than an hour ago; with
--dry-run it only lists them. Logs and unknown entries are never touched.

Examples:
  $ jsonl-session doctor
  transcripts  41 files   3.2 MiB
  …
  locks        kernel, 1 held
  warning  mode  /home/ada/.jsonl-session/.transcripts/demo.jsonl
    mode 644, so others can reach it; it should be 600

  $ jsonl-session doctor --fix --json
  {"root":"/home/ada/.jsonl-session",…,"healthy":true,"findings":[],…,"fixed":[{"path":…}]}

Exit codes:
  0 healthy, or everything was repaired · 1 findings · 2 wrong use, or failed
`

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the health of the store: damage, modes, locks, orphans, sizes',
  options: [
    { name: 'deep', text: 'read every line of every log, not only both ends' },
    { name: 'fix', text: 'repair modes and remove leftovers of unfinished writes' },
    DRY_RUN,
  ],
  lesson: LESSON,

  async run(call) {
    const found = await examine(call)
    const isDry = call.has('dry-run')
    const fixes = call.has('fix') ? fixStore(call.store, found, { apply: !isDry }).fixes : []
    const health = fixes.length > 0 && !isDry ? await examine(call) : found
    const colors = colorsOf(call)
    await printAnswer(call, {
      json: { ...health, [isDry ? 'planned' : 'fixed']: fixes },
      lines: () => [
        ...fixes.map((fix) => toFixLine(fix, colors, isDry)),
        ...sizeLines(health),
        ...stateLines(health),
        '',
        ...findingLines(health, colors),
      ],
      notes: adviceFor(health, call),
    })
    return health.healthy ? EXIT.done : EXIT.no
  },
}

function examine(call: Call): Promise<StoreHealth> {
  return withCounter(call, (report) =>
    examineStore(call.store, {
      allAgents: call.value('agent') === undefined,
      deep: call.has('deep'),
      onProgress: ({ done, total }) => report(`Reading logs … ${done} of ${total}`),
    }),
  )
}

function adviceFor({ findings, deep }: StoreHealth, call: Call): string[] {
  const advice: string[] = []
  if (findings.some(({ code }) => code === 'damage')) {
    advice.push('`jsonl-session verify <file>` shows where the damage is; logs are never changed.')
  }
  if (!call.has('fix') && findings.some(({ fix }) => fix !== undefined)) {
    advice.push('`jsonl-session doctor --fix` repairs modes and removes leftovers.')
  }
  if (!deep && findings.length === 0) advice.push('--deep reads every line, not only both ends.')
  return advice
}

// To fit one screen; --json shows all.
const SHOWN_PER_CODE_MAX = 5
const NAMES_SHOWN_MAX = 5
const LABEL_CHARS = 12

/** A fix that was made, would be made, or failed. */
function toFixLine({ path, what, error }: Fix, colors: Colors, isDry: boolean): string {
  const verb = isDry ? 'remove' : 'removed'
  const deed = what === 'chmod' ? `${verb} the access of other users to` : verb
  if (isDry) return `would ${deed} ${toPlainText(path)}`
  if (error === null) return `${colors.green('fixed')}  ${deed} ${toPlainText(path)}`
  return `${colors.red('not fixed')}  ${toPlainText(path)}: ${toPlainText(error)}`
}

function sizeLines({ root, home, channels }: StoreHealth): string[] {
  const shown = channels.filter(({ files }) => files > 0)
  const rows = shown.map(({ channel, files, bytes }) =>
    row(channel, `${plural(files, 'file').padEnd(10)}  ${formatSize(bytes)}`),
  )
  const total = shown.reduce((sum, { bytes }) => sum + bytes, 0)
  const more = root === home ? [] : [row('home', toPlainText(home))]
  return [row('store', toPlainText(root)), ...more, ...rows, row('together', formatSize(total))]
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
      `${history.entries} of ${limits.entries} entries, ${formatSize(history.bytes)} of ${formatSize(limits.bytes)}`,
    ),
  ]
  if (unknown.length === 0) return lines
  const names = unknown.slice(0, NAMES_SHOWN_MAX).map(toPlainText).join(', ')
  const rest =
    unknown.length > NAMES_SHOWN_MAX ? ` and ${unknown.length - NAMES_SHOWN_MAX} more` : ''
  return [...lines, row('unknown', `${names}${rest}; not touched`)]
}

function findingLines({ findings, deep }: StoreHealth, colors: Colors): string[] {
  if (findings.length === 0) {
    return [`${colors.green('healthy')}  ${deep ? 'every line was read' : 'both ends of each log'}`]
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
