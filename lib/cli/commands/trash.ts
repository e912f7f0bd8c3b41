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

export const trashList = listCommand('trash', 'Oldest first. `prune` drops them for good.')

export const trashRestore = restoreCommand('trash')
