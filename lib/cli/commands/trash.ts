// Sessions that may go, and can come back until they are pruned.

import type { Command } from '../command.js'
import { listCommand, restoreCommand, runRetire } from '../retired-commands.js'
import { SELECTION_OPTIONS } from '../selection-options.js'

const LESSON = `Without --apply it is a plan and changes nothing. As \`archive\`, but into .trash/ of the store, from
where \`prune\` drops sessions for good. Until then \`trash restore\` brings them back.

Examples:
  $ jsonl-session trash demo --apply
  trashed  demo  1.4 MiB  3 days ago

  $ jsonl-session trash --older-than 365d --json
  {"isApplied":false,"sessions":[{"session_id":"demo","from":"store","to":"trash",…}],"kept":[],…}

Exit codes:
  0 trashed, or would be · 1 nothing to do · 2 wrong use, or failed · 3 no such session
  5 those that were asked for are open
`

export const trash: Command = {
  name: 'trash',
  summary: 'Put sessions into the trash of the store',
  operand: '[session...]',
  operandText: 'the sessions; or say --older-than',
  options: SELECTION_OPTIONS,
  lesson: LESSON,
  run: (call) => runRetire(call, 'trash'),
}

export const trashList = listCommand(
  'trash',
  `Oldest first. \`prune\` drops them for good.

Examples:
  $ jsonl-session trash list
  demo  1.4 MiB  2026-01-31  Rename the config key

  $ jsonl-session trash list --json
  {"sessions":[{"session_id":"demo","title":"Rename the config key","path":"…",…}],"skipped":[]}

Exit codes:
  0 shown · 1 the trash is empty · 2 wrong use, or failed
`,
)

export const trashRestore = restoreCommand(
  'trash',
  `At once: nothing is lost by it. A session that goes on from another brings that one along.

Examples:
  $ jsonl-session trash restore demo
  restored  demo  1.4 MiB  2026-01-31

  $ jsonl-session trash restore demo --json
  {"isApplied":true,"sessions":[{"session_id":"demo","from":"trash","to":"store",…}],…}

Exit codes:
  0 restored · 1 a session of that id is there already · 2 wrong use, or failed
  3 no such session in the trash · 5 locked by another
`,
)
