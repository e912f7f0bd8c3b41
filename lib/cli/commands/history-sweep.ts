// Old files of the history, shown and then removed.

import type { HistorySweep } from '../../store/index.js'
import { storeOptionsOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Of the files that the history was rotated to, the newest stays and the others go. With
HISTORY_RETAIN_DAYS that one goes too when all its prompts are older. The live file stays as it is.
Without --apply nothing is removed.

Examples:
  $ jsonl-session history sweep
  would remove /home/ada/.jsonl-session/history.jsonl.2  10 MiB  a newer one is there

  $ jsonl-session history sweep --apply --json
  {"isApplied":true,"files":[{"file":"/home/ada/.jsonl-session/history.jsonl.2",…}]}

Exit codes:
  0 shown, or removed · 1 there is nothing to remove · 2 wrong use, or failed · 5 locked by another
`

export const historySweep: Command = {
  name: 'history sweep',
  summary: 'Show, or remove with --apply, old files of the history',
  operand: '',
  operandText: '',
  options: [{ name: 'apply', text: 'remove them' }],
  lesson: LESSON,

  async run(call) {
    const { layoutOf, sweepHistory } = await import('../../store/index.js')
    const options = storeOptionsOf(call)
    const sweep = await sweepHistory({
      ...options,
      apply: call.has('apply'),
      onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
    })
    if (call.has('json')) await call.output.write(`${JSON.stringify(sweep)}\n`)
    else await print(call, sweep)
    if (sweep.files.length > 0) return EXIT.done
    call.notes.say(`Nothing to remove beside ${layoutOf(options).historyPath}`)
    return EXIT.no
  },
}

const REASONS = {
  rollover: 'a newer one is there',
  retention: 'all its prompts are older than HISTORY_RETAIN_DAYS',
} as const

async function print(call: Call, { isApplied, files }: HistorySweep): Promise<void> {
  const { sizeOf } = await import('../session-table.js')
  const what = isApplied ? 'removed' : 'would remove'
  for (const { file, bytes, reason } of files) {
    await call.output.write(`${what} ${file}  ${sizeOf(bytes)}  ${REASONS[reason]}\n`)
  }
  await call.output.flush()
  if (!isApplied && files.length > 0)
    call.notes.say('Nothing was removed yet; --apply removes them')
}
