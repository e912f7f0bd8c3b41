// The entries of a log file, as they are on disk.

import { type Command, UsageError } from '../../command.js'
import { ORDERS, readNumber, readOrder, rejectTogether } from '../../input/arguments.js'
import { findLog } from '../../input/target.js'
import { untilInterrupted } from '../../output/progress.js'
import { printLog } from '../../print/log.js'

const LESSON = `A row is: byte offset, line number, time, type, first part of the uuid, text. Damage is shown in
its place and never stops the reading. Line numbers are known only when reading from the start.

Examples:
  $ jsonl-session log demo
         0     1  2026-01-31T12:00:00.000Z  session_header  9d1f0c3e  {"format":1,"session_id":"d…
       377     2  2026-01-31T12:00:00.000Z  user            0b0e7a52  hello

  $ jsonl-session log demo --order desc --limit 1 --json
  {"kind":"event","byteOffset":377,"length":213,"event":{"type":"user",…}}

Exit codes:
  0 shown, damaged or not · 2 wrong use, or failed · 3 not found · 4 damage, under --strict
`

export const log: Command = {
  name: 'log',
  summary: 'Print the entries of a log file with their offsets',
  operand: '<file>',
  operandText: 'a log file, or a session',
  options: [
    {
      name: 'order',
      value: 'O',
      text: 'asc: oldest first (default), desc: newest first',
      values: ORDERS,
    },
    { name: 'limit', value: 'N', text: 'stop after N entries' },
    { name: 'from', value: 'OFFSET', text: 'only entries that start at this byte or later' },
    { name: 'follow', text: 'continue with what is appended, until Ctrl-C' },
    { name: 'cursor', value: 'C', text: 'with --follow: continue after a row of --follow --json' },
    { name: 'strict', text: 'exit with 4 if anything is damaged or unverified' },
    { name: 'reverse', text: 'an earlier spelling of --order desc', isHidden: true },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    const isReverse = readOrder(call, { usual: 'asc', desc: 'reverse' }) === 'desc'
    if (isReverse && call.has('follow')) {
      throw new UsageError('--order desc and --follow cannot be combined')
    }
    rejectTogether(call, 'cursor', 'from')
    if (call.value('cursor') !== undefined && !call.has('follow')) {
      throw new UsageError('--cursor needs --follow')
    }
    const limit = readNumber(call, 'limit') ?? Number.POSITIVE_INFINITY
    const from = readNumber(call, 'from')
    const path = findLog(call, call.operands[0]!)
    return untilInterrupted(call, (signal) =>
      printLog(path, call, {
        limit,
        from,
        signal,
        isReverse,
        isFollowing: call.has('follow'),
        cursor: call.value('cursor'),
      }),
    )
  },
}
