// What a store holds, counted.

import { momentOf, oneOf, refuseTogether, storeOptionsOf, wholeNumberOf } from '../arguments.js'
import type { Command } from '../command.js'

const LESSON = `Counts all sessions with their subagents: bytes, events, tokens as the providers counted them (in,
read from a cache, out), tools, errors, and compactions with the tokens they saved. An event that
a fork copied counts once; its bytes count where they lie. With --top: the largest files of the
store, prompt history, checkpoints and file copies included. In a pipe: numbers, parted by tabs.
TIME is 2026-01-31, or a time of that day like 2026-01-31T12:00:00Z, or 90m, 2h, 3d ago.

Examples:
  $ jsonl-session stats --by type
  TYPE         SIZE     EVENTS  IN    CACHED  OUT  TOOLS  ERRORS  COMPACTED  SAVED
  tool_result  1.1 MiB  412     0     0       0    0      7       0          0      ███████████████
  assistant    310 KiB  398     1.2M  1.1M    96k  0      0       0          0      ████

  $ jsonl-session stats --by day --json | jq -c '.groups[] | [.key, .tokens.output]'
  ["2026-01-31",96012]

Exit codes:
  0 counted · 1 there is nothing to count · 2 wrong use, or failed
`

export const stats: Command = {
  name: 'stats',
  summary: 'Count bytes, events, tokens, tools, errors and compactions',
  operand: '',
  operandText: '',
  options: [
    { name: 'project', value: 'P', text: 'only sessions of this project' },
    { name: 'by', value: 'G', text: 'session, project, day or type (default: session)' },
    { name: 'top', value: 'N', text: 'the N largest files instead, and what they are for' },
    { name: 'since', value: 'TIME', text: 'only events of this time or later' },
    { name: 'until', value: 'TIME', text: 'only events before this time' },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    for (const other of ['project', 'by', 'since', 'until']) refuseTogether(call, 'top', other)
    const by = oneOf(call, 'by', ['session', 'project', 'day', 'type'])
    const limit = wholeNumberOf(call, 'top')
    const store = storeOptionsOf(call)
    const { printDiskUsage, printStats } = await import('../print-stats.js')
    if (limit !== undefined) return printDiskUsage(call, { ...store, limit })
    const now = Date.now()
    return printStats(call, {
      ...store,
      by,
      project: call.value('project'),
      since: momentOf(call, 'since', now),
      until: momentOf(call, 'until', now),
    })
  },
}
