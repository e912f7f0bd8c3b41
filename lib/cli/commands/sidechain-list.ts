// Which subagents a session had.

import type { SidechainList } from '../../store/index.js'
import { storeOptionsOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `In the order in which they were started. completed, failed, timeout, aborted: as they ended;
crashed: without an ending, so what they would have told is lost; open: a process has it. A fork
shows also those that its source had spawned by then.

Examples:
  $ jsonl-session sidechain list demo
  TASK      PROMPT                       STATUS     STARTED    TYPE    SIZE
  tests     Run the tests, tell me why…  completed  3 min ago  tester  41 KiB
  1f0c3e9d  Look for other callers       crashed    2 min ago  -       2.4 KiB

  $ jsonl-session sidechain list demo --json
  {"sidechains":[{"task_id":"tests","status":"completed","summary":"All 12 pass.",…}],"skipped":[]}

Exit codes:
  0 listed · 1 there are none · 2 wrong use, or failed · 3 not found
`

export const sidechainList: Command = {
  name: 'sidechain list',
  summary: 'List the subagents of a session',
  operand: '<session>',
  operandText: 'a session',
  options: [],
  lesson: LESSON,

  async run(call) {
    const { listSidechains } = await import('../../store/index.js')
    const { sessionOf } = await import('../target.js')
    const storeOptions = storeOptionsOf(call)
    const session = await sessionOf(call.operands[0]!, storeOptions)
    const found = listSidechains({ ...storeOptions, session })
    if (call.has('json')) await call.output.write(`${JSON.stringify(found)}\n`)
    else await printTable(call, found)
    if (found.sidechains.length > 0) return EXIT.done
    call.notes.say(`No subagents of ${session}`)
    return EXIT.no
  },
}

async function printTable(call: Call, { sidechains, skipped }: SidechainList): Promise<void> {
  const { tellSkipped } = await import('../tell-skipped.js')
  if (sidechains.length > 0) {
    const { sidechainTable } = await import('../sidechain-table.js')
    const { colorsOf } = await import('../colors.js')
    const { columns } = call.output
    const table = sidechainTable(sidechains, { columns, colors: colorsOf(call), now: Date.now() })
    await call.output.write(table)
    await call.output.flush()
  }
  tellSkipped(call, skipped)
}
