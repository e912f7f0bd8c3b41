// A session to read.

import { refuseTogether, storeOptionsOf } from '../arguments.js'
import { type Call, type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'
import type { DiagnosticGroups } from '../group-diagnostics.js'

const LESSON = `Without a view, the conversation is shown as it goes on: after a compaction the summary and what
was kept, after a rewind without what was left. The events that it hides are all still there.
--json prints the events of the view as they lie on disk, one per line; with --projected the
messages as \`resume --json\` has them. --text is the view to pass on: what looks like a secret
is [REDACTED] there. All other views are faithful, secrets included.

Examples:
  $ jsonl-session show demo
  User  2026-01-31T12:00:00Z  0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a
  hello

  Assistant  2026-01-31T12:00:02Z  6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11
  Hi. Let me look.
    → Bash {"command":"ls"}
    ← README.md

  $ jsonl-session show demo --at 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a --text
  User: hello

Exit codes:
  0 shown · 1 there is nothing to show, or none was picked · 2 wrong use, or failed · 3 not found
`

export const show: Command = {
  name: 'show',
  summary: 'Print a session to read, also as the model saw it then',
  operand: '[session]',
  operandText: 'a session, or a log file; not with --pick',
  options: [
    { name: 'raw', text: 'every event of the file, also what stands beside the chain' },
    { name: 'projected', text: 'what the model sees: tools in full, gaps mended' },
    { name: 'text', text: 'only what was said, secrets redacted: one line for each turn' },
    { name: 'at', value: 'U', text: 'as it was when this event was the newest' },
    {
      name: 'pick',
      text: 'choose it from a list: type to filter, Enter takes it, Esc leaves',
      isForPeople: true,
    },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    const [target] = call.operands
    if (target === undefined) throw new UsageError('show needs a session, a file, or --pick')
    refuseTogether(call, 'raw', 'projected')
    refuseTogether(call, 'raw', 'text')
    refuseTogether(call, 'projected', 'text')
    const { pathOf } = await import('../target.js')
    const path = await pathOf(target, storeOptionsOf(call))
    const { groupDiagnostics } = await import('../group-diagnostics.js')
    const lost = groupDiagnostics(call.notes)
    const isShown = await printView(call, path, lost)
    await call.output.flush()
    lost.tell()
    if (isShown) return EXIT.done
    call.notes.say(
      lost.isEmpty
        ? `Nothing was said in ${path} yet`
        : `Nothing that was said in ${path} can be read`,
    )
    return EXIT.no
  },
}

async function printView(call: Call, path: string, lost: DiagnosticGroups): Promise<boolean> {
  const views = await import('../print-session.js')
  const at = call.value('at')
  if (call.has('raw')) return views.printRaw(call, path, at)
  if (call.has('text')) return views.printText(call, path, { at, lost })
  const { layoutOf, loadSession } = await import('../../store/index.js')
  const layout = layoutOf(storeOptionsOf(call))
  // Who asks what was seen then does not want a summary that was written since.
  const revisions = at === undefined ? 'newest' : 'then'
  const loaded = loadSession(path, { layout, at, revisions })
  views.takeLost(loaded.diagnostics, lost)
  if (!call.has('projected')) return views.printProjection(call, loaded)
  return views.printMessages(call, views.messagesSeen(loaded), { isWhole: true })
}
