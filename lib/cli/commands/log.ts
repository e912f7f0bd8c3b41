// The entries of a log file, as they lie there.

import { refuseTogether, storeOptionsOf, wholeNumberOf } from '../arguments.js'
import { type Command, UsageError } from '../command.js'

const LESSON = `A row is: byte offset, line number, time, type, first part of the uuid, text. Damage is shown in
its place and never stops the reading. Line numbers are known only when reading from the start.

Examples:
  $ jsonl-session log demo
         0     1  2026-01-31T12:00:00.000Z  session_header  9d1f0c3e  {"format":1,"session_id":"d…
       377     2  2026-01-31T12:00:00.000Z  user            0b0e7a52  hello

  $ jsonl-session log demo --reverse --limit 1 --json
  {"kind":"event","byte_offset":377,"length":213,"event":{"type":"user",…}}

Exit codes:
  0 shown, damaged or not · 2 wrong use, or failed · 3 not found · 4 damage, under --strict
`

export const log: Command = {
  name: 'log',
  summary: 'Print the entries of a log file with their offsets',
  operand: '<file>',
  operandText: 'a log file, or a session',
  options: [
    { name: 'reverse', text: 'newest first' },
    { name: 'limit', value: 'N', text: 'stop after N entries' },
    { name: 'from', value: 'OFFSET', text: 'only entries that start at this byte or later' },
    { name: 'follow', text: 'go on with what is appended, until Ctrl-C' },
    { name: 'cursor', value: 'C', text: 'with --follow: go on after a row of --follow --json' },
    { name: 'strict', text: 'exit with 4 if anything is damaged or unverified' },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    refuseTogether(call, 'reverse', 'follow')
    refuseTogether(call, 'cursor', 'from')
    if (call.value('cursor') !== undefined && !call.has('follow')) {
      throw new UsageError('--cursor goes with --follow')
    }
    const limit = wholeNumberOf(call, 'limit') ?? Number.POSITIVE_INFINITY
    const from = wholeNumberOf(call, 'from')
    const { pathOf } = await import('../target.js')
    const { untilInterrupted } = await import('../interrupt.js')
    const { printLog } = await import('../print-log.js')
    const path = await pathOf(call.operands[0]!, storeOptionsOf(call))
    return untilInterrupted(call, (signal) =>
      printLog(path, call, {
        limit,
        from,
        signal,
        isReverse: call.has('reverse'),
        isFollowing: call.has('follow'),
        cursor: call.value('cursor'),
      }),
    )
  },
}
