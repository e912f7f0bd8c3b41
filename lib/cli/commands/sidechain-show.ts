// A subagent to read: an act of audit, since its parent never sees more than the summary.

import type { SidechainDigest } from '../../store/index.js'
import { refuseTogether, storeOptionsOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'
import type { DiagnosticGroups } from '../group-diagnostics.js'

const LESSON = `Shows what it was told, what it did and, on stderr, how it ended. Task ids repeat from session to
session; where several fit, --session says which is meant. --json prints the events of the view
as they lie on disk, one per line.

Examples:
  $ jsonl-session sidechain show tests --session demo
  User  2026-01-31T12:00:00Z  0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a
  Run the tests, tell me why they fail.

  Assistant  2026-01-31T12:00:09Z  6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11
  All 12 pass.
  tests of session demo: completed: All 12 pass.

  $ jsonl-session sidechain show tests --text
  User: Run the tests, tell me why they fail.
  Assistant: All 12 pass.

Exit codes:
  0 shown · 1 there is nothing to show · 2 wrong use, ambiguous, or failed · 3 not found
`

export const sidechainShow: Command = {
  name: 'sidechain show',
  summary: 'Print a subagent to read, for audit',
  operand: '<task>',
  operandText: 'the id of its task, or four or more characters that only it begins with',
  options: [
    { name: 'session', value: 'S', text: 'of this session' },
    { name: 'raw', text: 'every event of the file, also what stands beside the chain' },
    { name: 'text', text: 'only what was said: one line for each turn of the file' },
  ],
  lesson: LESSON,

  async run(call) {
    refuseTogether(call, 'raw', 'text')
    const { findSidechain } = await import('../../store/index.js')
    const session = call.value('session')
    const digest = findSidechain(call.operands[0]!, { ...storeOptionsOf(call), session })
    const { groupDiagnostics } = await import('../group-diagnostics.js')
    const lost = groupDiagnostics(call.notes)
    const isShown = await printView(call, digest.path, lost)
    await call.output.flush()
    lost.tell()
    await tellEnding(call, digest)
    return isShown ? EXIT.done : EXIT.no
  },
}

async function printView(call: Call, path: string, lost: DiagnosticGroups): Promise<boolean> {
  const views = await import('../print-session.js')
  if (call.has('raw')) return views.printRaw(call, path)
  if (call.has('text')) return views.printText(call, path, { lost })
  const { layoutOf, loadSession } = await import('../../store/index.js')
  const loaded = loadSession(path, { layout: layoutOf(storeOptionsOf(call)) })
  views.takeLost(loaded.diagnostics, lost)
  return views.printProjection(call, loaded)
}

async function tellEnding(call: Call, digest: SidechainDigest): Promise<void> {
  const { toPlainText } = await import('../plain-text.js')
  const { task_id, parent_session_id, status, endReason, summary } = digest
  const whose = `${task_id} of session ${parent_session_id ?? '(unknown)'}`
  const why = endReason === null ? '' : ` (${endReason})`
  const said = summary === null ? '' : `: ${summary}`
  call.notes.say(toPlainText(`${whose}: ${status}${why}${said}`))
}
