// The one command that drops sessions from the disk.

import type { Command } from '../command.js'
import { SELECTION_OPTIONS } from '../selection-options.js'

const LESSON = `Without --apply it is a plan and changes nothing. Drops sessions of the trash for good, or with
--archived those of the archive; never one of the store. Age is that of the last event inside. One
that another session goes on from stays, wherever that lies. retention.jsonl keeps a line of each.

Examples:
  $ jsonl-session prune --older-than 30d
  would drop  demo  1.4 MiB  2026-01-31

  $ jsonl-session prune demo --apply --json
  {"isApplied":true,"sessions":[{"session_id":"demo","from":"trash","to":null,…}],"kept":[],…}

Exit codes:
  0 dropped, or would be · 1 nothing to do · 2 wrong use, or failed · 3 no such session there
`

export const prune: Command = {
  name: 'prune',
  summary: 'Drop sessions of the trash or the archive for good',
  operand: '[session...]',
  operandText: 'the sessions; or say --older-than',
  options: [...SELECTION_OPTIONS, { name: 'archived', text: 'those of the archive instead' }],
  lesson: LESSON,

  async run(call) {
    const { reportRetention, selectionOf } = await import('../retention-report.js')
    const selection = selectionOf(call)
    const { pruneSessions } = await import('../../store/index.js')
    const from = call.has('archived') ? 'archive' : 'trash'
    const report = await pruneSessions({ ...selection, from })
    return reportRetention(call, report, { done: 'dropped', planned: 'would drop' })
  },
}
