// What is being written, in one session or in all of them.

import { refuseTogether, storeOptionsOf, wholeNumberOf } from '../arguments.js'
import { type Command, UsageError } from '../command.js'

const LESSON = `Without a session it looks at the whole store; --project narrows it. New sessions appear as they
begin, and whoever follows a session also sees those that are resumed from it. Rows are those of
\`log\`; --projected shows the conversation instead, as a model is shown it.

Every line of --json carries a cursor, and the last one is told on stderr, also after Ctrl-C.
--since-cursor goes on right behind it: nothing twice, nothing lost, over all files, also those that
began meanwhile. The cursor of a whole store grows with its number of sessions, by about eleven
characters each.

Examples:
  $ jsonl-session tail --lines 2
  ==> demo <==
       377     -  2026-01-31T12:00:00.000Z  user            0b0e7a52  hello
       590     -  2026-01-31T12:00:02.000Z  assistant       6a4f0c58  Hi. Let me look.
  Go on with --since-cursor t1.…

  $ jsonl-session tail -f --json --since-cursor "$CURSOR" | jq -r .event.type

Exit codes:
  0 shown, or stopped by Ctrl-C · 1 there is nothing to show · 2 wrong use, or failed · 3 not found
`

export const tail: Command = {
  name: 'tail',
  summary: 'Print the newest events of a session, a project or the store, and follow them',
  operand: '[session]',
  operandText: 'a session, or a log file; without it, every session of the store',
  options: [
    { name: 'follow', short: 'f', text: 'go on with what is written, until Ctrl-C' },
    { name: 'lines', value: 'N', text: 'begin with the newest N entries (default: 10)' },
    { name: 'since-cursor', value: 'C', text: 'begin right behind this cursor instead' },
    { name: 'project', value: 'P', text: 'only sessions of this project' },
    { name: 'projected', text: 'the conversation as a model is shown it' },
    { name: 'raw', text: 'every event as it lies there; the default' },
  ],
  lesson: LESSON,

  async run(call) {
    refuseTogether(call, 'raw', 'projected')
    refuseTogether(call, 'lines', 'since-cursor')
    const [target] = call.operands
    if (target !== undefined && call.value('project') !== undefined) {
      throw new UsageError('A session and --project do not go together')
    }
    const { isFile } = await import('../target.js')
    const { printTail } = await import('../print-tail.js')
    const { untilInterrupted } = await import('../interrupt.js')
    const storeOptions = storeOptionsOf(call)
    const options = {
      ...storeOptions,
      [target !== undefined && isFile(target, storeOptions) ? 'file' : 'session']: target,
      project: call.value('project'),
      lines: wholeNumberOf(call, 'lines'),
      cursor: call.value('since-cursor'),
      projected: call.has('projected'),
      follow: call.has('follow'),
    }
    return untilInterrupted(call, (signal) => printTail(call, { ...options, signal }))
  },
}
