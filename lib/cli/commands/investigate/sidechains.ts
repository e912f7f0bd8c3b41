// Subagents of a session. Their parent never sees more than the summary, so this is for audit.

import { isSessionError } from '../../../errors.js'
import {
  ambiguousTaskError,
  findSidechain,
  listSidechains,
  type SidechainInfo,
} from '../../../store/index.js'
import type { Call, Command } from '../../command.js'
import { rejectTogether } from '../../input/arguments.js'
import { findSession, isBeginning } from '../../input/target.js'
import { colorsOf } from '../../output/colors.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'
import { formatTable } from '../../output/table.js'
import { formatAge, formatSize } from '../../output/units.js'
import { printView } from '../../print/session.js'

const LIST_LESSON = `In the order in which they were started. completed, failed, timeout, aborted: as they ended;
crashed: without an ending, so their result is lost; open: a process has it open. A fork also shows
those that its source had started by then.

Examples:
  $ jsonl-session sidechain list demo
  TASK      PROMPT                       STATUS     STARTED    TYPE    SIZE
  tests     Run the tests, explain why…  completed  3 min ago  tester  41 KiB
  1f0c3e9d  Look for other callers       crashed    2 min ago  -       2.4 KiB

  $ jsonl-session sidechain list demo --json
  {"sidechains":[{"taskId":"tests","status":"completed","summary":"All 12 pass.",…}],"skipped":[]}

Exit codes:
  0 listed · 1 there are none · 2 wrong use, or failed · 3 not found
`

export const sidechainList: Command = {
  name: 'sidechain list',
  summary: 'List the subagents of a session',
  operand: '<session>',
  operandText: 'a session',
  lesson: LIST_LESSON,

  async run(call) {
    const session = findSession(call, call.operands[0]!)
    const found = listSidechains(call.store, { session })
    const { sidechains, skipped } = found
    return printAnswer(call, {
      json: found,
      lines: () => formatSidechains(call, sidechains),
      skipped,
      no: sidechains.length === 0 ? `No subagents of ${session}` : undefined,
    })
  },
}

function formatSidechains(call: Call, sidechains: readonly SidechainInfo[]): string[] {
  const { columns } = call.output
  const colors = colorsOf(call)
  const rows = sidechains.map(({ taskId, prompt, status, startedAt, agentType, bytes }) => ({
    cells: [
      toPlainText(taskId),
      toPlainText(prompt ?? '') || '-',
      status,
      formatAge(startedAt, call.env.now()),
      toPlainText(agentType ?? '') || '-',
      formatSize(bytes),
    ],
    color: status === 'completed' ? String : status === 'open' ? colors.green : colors.yellow,
  }))
  const headings = ['TASK', 'PROMPT', 'STATUS', 'STARTED', 'TYPE', 'SIZE']
  return formatTable(rows, { headings, wide: 1, status: 2, columns, colors })
}

/** By its task, or by the beginning of it. */
function findTask(call: Call, task: string): SidechainInfo {
  const named = call.value('session')
  const session = named === undefined ? undefined : findSession(call, named)
  try {
    return findSidechain(call.store, task, { session })
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    const { sidechains } = listSidechains(call.store, { session })
    const found = sidechains.filter(({ taskId }) => isBeginning(task, taskId))
    if (found.length > 1) throw ambiguousTaskError(task, found)
    if (found[0] === undefined) throw error
    return found[0]
  }
}

const SHOW_LESSON = `Shows its prompt, what it did and, on stderr, how it ended. Task ids repeat from session to session;
if several match, --session selects one. --json prints the events of the view as they are on disk,
one per line.

Examples:
  $ jsonl-session sidechain show tests --session demo
  User  2026-01-31T12:00:00Z  0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a
  Run the tests, explain why they fail.

  Assistant  2026-01-31T12:00:09Z  6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11
  All 12 pass.
  tests of session demo: completed: All 12 pass.

  $ jsonl-session sidechain show tests --text
  User: Run the tests, explain why they fail.
  Assistant: All 12 pass.

Exit codes:
  0 shown · 1 there is nothing to show · 2 wrong use, ambiguous, or failed · 3 not found
`

export const sidechainShow: Command = {
  name: 'sidechain show',
  summary: 'Print the log of a subagent',
  operand: '<task>',
  operandText: 'the id of its task, or four or more characters that only it begins with',
  options: [
    { name: 'session', value: 'S', text: 'only this session' },
    { name: 'raw', text: 'every event of the file, including off-chain events' },
    { name: 'text', text: 'only the messages: one line for each turn of the file' },
  ],
  lesson: SHOW_LESSON,

  async run(call) {
    rejectTogether(call, 'raw', 'text')
    const digest = findTask(call, call.operands[0]!)
    const { isShown } = await printView(call, digest.path)
    const { taskId, parentSessionId, status, endReason, summary } = digest
    const whose = `${taskId} of session ${parentSessionId ?? '(unknown)'}`
    const why = endReason === null ? '' : ` (${endReason})`
    const result = summary === null ? '' : `: ${summary}`
    call.notes.say(toPlainText(`${whose}: ${status}${why}${result}`))
    return isShown ? EXIT.done : EXIT.no
  },
}
