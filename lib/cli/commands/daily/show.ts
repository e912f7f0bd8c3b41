// A session to read.

import { type Call, type Command, PICK, UsageError } from '../../command.js'
import { rejectTogether } from '../../input/arguments.js'
import { EVENT_TEXT } from '../../input/event.js'
import { findLog } from '../../input/target.js'
import { EXIT } from '../../output/exit-codes.js'
import { printView } from '../../print/session.js'

const LESSON = `Without a view, the conversation is shown as it continues: after a compaction the summary and what
was kept, after a rewind without what was abandoned. The events that it hides are still in the file.
--history and --text show the conversation as it happened, from the first session that this one
continues: what was compacted is included, what was abandoned is not. --raw is this file alone.
--json prints the events of the view as they are on disk, one per line; with --projected the
messages as \`resume --json\` has them. --text is the view to share: what looks like a secret is
[REDACTED] there. All other views are complete, secrets included.

--last N reads from the end of the file and no more than it needs. --errors and --around show events
as they were written, also those that were compacted or abandoned since; a failure is shown below
its call. With --errors, --last N are the last N failures, and --around the failures next to EVENT.

Examples:
  $ jsonl-session show demo
  User  2026-01-31T12:00:00Z  0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a
  hello

  Assistant  2026-01-31T12:00:02Z  6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11
  Hi. Let me look.
    → Bash {"command":"ls"}
    ← README.md

  $ jsonl-session show demo --errors --last 1
  Assistant  2026-01-31T12:00:04Z  9c1e4a77-51b0-4d0b-9a0e-0f6f3c2b8d21
    → Bash {"command":"cat config.json"}
    ✗ no such file

Exit codes:
  0 shown · 1 nothing to show, or nothing was selected · 2 wrong use, or failed · 3 not found
`

export const show: Command = {
  name: 'show',
  summary: 'Print a session, now or as it was at an earlier event',
  operand: '[session]',
  operandText: 'a session, or a log file; not with --pick',
  options: [
    { name: 'history', text: 'the whole conversation, uncompacted, with what it continues' },
    { name: 'raw', text: 'every event of its own file, including off-chain events' },
    { name: 'projected', text: 'what the model sees: tools in full, gaps repaired' },
    { name: 'text', text: 'only the messages, secrets redacted: one line for each turn' },
    { name: 'at', value: 'EVENT', text: `as it was at this event: ${EVENT_TEXT}` },
    { name: 'last', value: 'N', text: 'only the last N messages of the view, read from the end' },
    { name: 'errors', text: 'only failures of tools and subagents, and damaged lines' },
    { name: 'around', value: 'EVENT', text: 'only this event and its neighbours in the file' },
    {
      name: 'context',
      short: 'C',
      value: 'N',
      text: 'with --around: N events on each side (default: 3)',
    },
    PICK,
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    const [target] = call.operands
    if (target === undefined) throw new UsageError('show needs a session, a file, or --pick')
    rejectTogether(call, 'history', 'raw', 'projected', 'text')
    rejectOfFile(call)
    const path = findLog(call, target)
    const { isShown, isDamaged } = await printView(call, path)
    if (isShown) return EXIT.done
    call.notes.say(whyNothing(call, path, isDamaged))
    return EXIT.no
  },
}

/** Failures and neighbours are looked for in the file, so they are not views of a conversation. */
function rejectOfFile(call: Call): void {
  for (const selection of ['errors', 'around']) {
    for (const view of ['history', 'projected', 'text']) rejectTogether(call, selection, view)
  }
  rejectTogether(call, 'around', 'last')
  rejectTogether(call, 'around', 'at')
  if (call.value('context') === undefined || call.value('around') !== undefined) return
  throw new UsageError('--context belongs to --around: how many events on each side')
}

function whyNothing(call: Call, path: string, isDamaged: boolean): string {
  if (call.has('errors')) return `Nothing failed in ${path}`
  if (call.value('last') === '0') return '--last 0 shows nothing'
  return isDamaged ? `No message in ${path} can be read` : `There is no message in ${path} yet`
}
