// Sessions into the archive or the trash, back from there, and dropped for good.

import {
  listRetired,
  pruneSessions,
  type RetentionReport,
  type RetentionSelection,
  restoreSessions,
  retireSessions,
} from '../../../store/index.js'
import {
  type Call,
  type Command,
  type OptionSpec,
  PLAN_OPTIONS,
  UsageError,
} from '../../command.js'
import { readAge } from '../../input/arguments.js'
import { completeId, findSession } from '../../input/target.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { type Plan, planCommand, printAnswer } from '../../output/print.js'
import { withProgress } from '../../output/progress.js'
import { formatAge, formatSize } from '../../output/units.js'

type Place = 'archive' | 'trash'

const SELECTION: readonly OptionSpec[] = [
  {
    name: 'older-than',
    value: 'AGE',
    text: 'every session whose last event is older than this: 30d, 12h',
  },
  { name: 'project', value: 'DIR', text: 'only those of this project' },
  ...PLAN_OPTIONS,
]
const FORCE: OptionSpec = {
  name: 'force',
  text: 'also sessions that a harness claims or whose checkpoint may still be recovered',
}
const OPERANDS = { operand: '[session...]', operandText: 'the sessions; or use --older-than' }

const ARCHIVE_LESSON = `Shows a plan; --apply carries it out. A session moves as a whole into .archive/ of the store: its
transcript, its subagents and the files it saved. Its age is that of its last event. Open sessions
are kept, and those that another session continues. Each move is a line in retention.jsonl;
\`archive restore\` reverts it. See docs/RETENTION.md.

Examples:
  $ jsonl-session archive --older-than 90d
  would archive  6f1c0a9e-…  1.4 MiB  2026-01-31

  $ jsonl-session archive demo --apply --json
  {"applied":true,"sessions":[{"sessionId":"demo","from":"store","to":"archive",…}],"kept":[],…}

Exit codes:
  0 archived, shown, or nothing to do · 1 sessions that were named are kept
  2 wrong use, or failed · 3 no such session · 5 sessions that were named are open
`

const TRASH_LESSON = `Shows a plan; --apply carries it out. As \`archive\`, but into .trash/ of the store, from where
\`prune\` drops sessions for good. Until then \`trash restore\` brings them back.

Examples:
  $ jsonl-session trash demo --apply
  trashed  demo  1.4 MiB  3 days ago

  $ jsonl-session trash --older-than 365d --json
  {"applied":false,"sessions":[{"sessionId":"demo","from":"store","to":"trash",…}],"kept":[],…}

Exit codes:
  0 trashed, shown, or nothing to do · 1 sessions that were named are kept
  2 wrong use, or failed · 3 no such session · 5 sessions that were named are open
`

const PRUNE_LESSON = `Shows a plan; --apply carries it out. Deletes sessions of the trash for good, or with --archived
those of the archive; never a session of the store. The age is that of the last event. A session
that another one continues is kept, wherever that one is. retention.jsonl keeps one line for each.

Examples:
  $ jsonl-session prune --older-than 30d
  would drop  demo  1.4 MiB  2026-01-31

  $ jsonl-session prune demo --apply --json
  {"applied":true,"sessions":[{"sessionId":"demo","from":"trash","to":null,…}],"kept":[],…}

Exit codes:
  0 dropped, shown, or nothing to do · 1 sessions that were named are kept
  2 wrong use, or failed · 3 no such session there
`

export const archive = retireCommand('archive', {
  summary: 'Move sessions to the archive',
  lesson: ARCHIVE_LESSON,
})

export const trash = retireCommand('trash', {
  summary: 'Move sessions to the trash',
  lesson: TRASH_LESSON,
})

export const prune: Command = {
  name: 'prune',
  summary: 'Delete sessions of the trash or the archive for good',
  ...OPERANDS,
  retiredIn: 'trash',
  options: [...SELECTION, { name: 'archived', text: 'sessions of the archive instead' }],
  lesson: PRUNE_LESSON,
  run: (call) =>
    planCommand(call, async (apply) => {
      const from = call.has('archived') ? 'archive' : 'trash'
      const selection = readSelection(call, await completer(call, from))
      const report = await pruneSessions(call.store, { ...selection, apply, from })
      return toPlan(call, report, apply ? 'dropped' : 'would drop')
    }),
}

export const archiveList = listCommand(
  'archive',
  'Oldest first. Commands that read files take their paths.',
)
export const trashList = listCommand('trash', 'Oldest first. `prune` drops them for good.')

export const archiveRestore = restoreCommand('archive')
export const trashRestore = restoreCommand('trash')

function retireCommand(to: Place, help: Pick<Command, 'summary' | 'lesson'>): Command {
  return {
    name: to,
    ...help,
    ...OPERANDS,
    options: [...SELECTION, FORCE],
    run: (call) =>
      planCommand(call, async (apply) => {
        const selection = readSelection(call, (id) => findSession(call, id))
        const report = await withProgress(call, 'reading sessions', () =>
          retireSessions(call.store, { ...selection, apply, to, force: call.has('force') }),
        )
        const done = to === 'archive' ? 'archived' : 'trashed'
        return toPlan(call, report, apply ? done : `would ${to}`)
      }),
  }
}

function restoreCommand(place: Place): Command {
  return {
    name: `${place} restore`,
    summary: `Bring sessions back from the ${place}, with those that they continue`,
    operand: '<session...>',
    operandText: 'the sessions',
    retiredIn: place,
    options: PLAN_OPTIONS,
    lesson: `Shows a plan; --apply carries it out. A session that continues another brings that one along.

Examples:
  $ jsonl-session ${place} restore demo --apply
  restored  demo  1.4 MiB  2026-01-31

  $ jsonl-session ${place} restore demo --json
  {"applied":false,"sessions":[{"sessionId":"demo","from":"${place}","to":"store",…}],…}

Exit codes:
  0 restored, or shown · 1 a session of that id exists already · 2 wrong use, or failed
  3 no such session in the ${place} · 5 locked by another process
`,
    run: (call) =>
      planCommand(call, async (apply) => {
        const sessions = call.operands.map(await completer(call, place))
        const report = await restoreSessions(call.store, { sessions, from: place, apply })
        return toPlan(call, report, apply ? 'restored' : 'would restore')
      }),
  }
}

function listCommand(place: Place, intro: string): Command {
  return {
    name: `${place} list`,
    summary: `Show the sessions in the ${place}`,
    lesson: `${intro}

Examples:
  $ jsonl-session ${place} list
  demo  1.4 MiB  2026-01-31  Rename the config key

  $ jsonl-session ${place} list --json
  {"sessions":[{"sessionId":"demo","title":"Rename the config key","path":"…",…}],"skipped":[]}

Exit codes:
  0 shown · 1 the ${place} is empty · 2 wrong use, or failed
`,
    async run(call) {
      const { sessions, skipped } = await listRetired(call.store, place)
      const rows = sessions.map(({ sessionId, path, files, bytes, lastActivity, info }) => {
        return { sessionId, title: info.title, path, files, bytes, lastActivity }
      })
      return printAnswer(call, {
        json: { sessions: rows, skipped },
        lines: () =>
          rows.map((row) => `${toRow(call, row)}  ${toPlainText(row.title ?? '')}`.trimEnd()),
        skipped,
        no: rows.length === 0 ? `The ${place} is empty` : undefined,
      })
    },
  }
}

/** Completes the ids of sessions that are there. */
async function completer(call: Call, place: Place): Promise<(id: string) => string> {
  const { sessions } = await listRetired(call.store, place)
  const ids = sessions.map(({ sessionId }) => sessionId)
  return (id) => completeId(id, ids)
}

function readSelection(call: Call, complete: (id: string) => string): RetentionSelection {
  const olderThanMs = readAge(call, 'older-than')
  if (call.operands.length === 0 && olderThanMs === undefined) {
    throw new UsageError('Name sessions, or use --older-than')
  }
  return {
    sessions: call.operands.length === 0 ? undefined : call.operands.map(complete),
    olderThanMs,
    project: call.value('project'),
  }
}

function toPlan(call: Call, report: RetentionReport, verb: string): Plan {
  const { sessions, kept, finished } = report
  const isUndone = sessions.length === 0 && call.operands.length > 0 && kept.length > 0
  const isOpen = sessions.length === 0 && kept.some(({ code }) => code === 'open')
  return {
    json: report,
    rows: sessions.map((session) => `${verb}  ${toRow(call, session)}`),
    notes: [
      ...finished.map((id) => `finished an interrupted move of ${toPlainText(id)}`),
      ...kept.map(
        ({ sessionId, reason }) => `kept ${toPlainText(sessionId)}: ${toPlainText(reason)}`,
      ),
    ],
    skipped: report.skipped,
    idle: sessions.length === 0 && 'Nothing to do',
    exitCode: isOpen ? EXIT.locked : isUndone ? EXIT.no : EXIT.done,
  }
}

interface Row {
  readonly sessionId: string
  readonly bytes: number
  readonly lastActivity: string | null
}

function toRow(call: Call, { sessionId, bytes, lastActivity }: Row): string {
  const age = formatAge(lastActivity, call.env.now(), 'undated')
  return `${toPlainText(sessionId)}  ${formatSize(bytes)}  ${age}`
}
