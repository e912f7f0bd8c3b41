// Sessions that are done, out of the way and not gone.

import type { Command } from '../command.js'
import { listCommand, restoreCommand, runRetire } from '../retired-commands.js'
import { SELECTION_OPTIONS } from '../selection-options.js'

const LESSON = `Without --apply it is a plan and changes nothing. A session moves as a whole into .archive/ of the
store: its transcript, its subagents and the files it saved. Age is that of the last event inside.
Open sessions stay, and those that another session goes on from. Each move is a line in
retention.jsonl; \`archive restore\` takes it back. See docs/RETENTION.md.

Examples:
  $ jsonl-session archive --older-than 90d
  would archive  6f1c0a9e-…  1.4 MiB  2026-01-31

  $ jsonl-session archive demo --apply --json
  {"isApplied":true,"sessions":[{"session_id":"demo","from":"store","to":"archive",…}],"kept":[],…}

Exit codes:
  0 archived, or would be · 1 nothing to do · 2 wrong use, or failed · 3 no such session
  5 those that were asked for are open
`

export const archive: Command = {
  name: 'archive',
  summary: 'Put sessions that are done into the archive of the store',
  operand: '[session...]',
  operandText: 'the sessions; or say --older-than',
  options: SELECTION_OPTIONS,
  lesson: LESSON,
  run: (call) => runRetire(call, 'archive'),
}

export const archiveList = listCommand(
  'archive',
  'Oldest first. Any command that reads files reads them where they lie, by their path.',
)

export const archiveRestore = restoreCommand('archive')
