// Drops from the disk what nobody is shown any more.

import type { PruneReport } from '../../store/index.js'
import { storeOptionsOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Without --apply it is a plan and changes nothing. A shard is worth it when half of it would go and
it is larger than 1 MiB; with --force every shard is. What was dropped is noted in retention.jsonl.

Examples:
  $ jsonl-session checkpoints prune
  would drop 812 records, 1.4 MiB of 2.1 MiB  /home/ada/.jsonl-session/.checkpoints/parser-….jsonl

  $ jsonl-session checkpoints prune --apply --json
  {"isApplied":true,"shards":[{"path":"…","bytes":2202009,…,"isDue":true}],"skipped":[]}

Exit codes:
  0 dropped, or would be · 1 nothing to do · 2 wrong use, failed, or a shard was skipped
`

export const checkpointsPrune: Command = {
  name: 'checkpoints prune',
  summary: 'Drop checkpoints that nobody is shown any more',
  operand: '',
  operandText: '',
  options: [
    { name: 'apply', text: 'do it' },
    { name: 'force', text: 'also where little would go' },
  ],
  lesson: LESSON,

  async run(call) {
    const { pruneCheckpoints } = await import('../../store/index.js')
    const report = await pruneCheckpoints({
      ...storeOptionsOf(call),
      apply: call.has('apply'),
      force: call.has('force'),
      onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
    })
    if (call.has('json')) await call.output.write(`${JSON.stringify(report)}\n`)
    else await print(call, report)
    if (report.skipped.length > 0) return EXIT.failed
    return report.shards.some(({ isDue }) => isDue) ? EXIT.done : EXIT.no
  },
}

async function print(call: Call, { isApplied, shards, skipped }: PruneReport): Promise<void> {
  const { sizeOf } = await import('../session-table.js')
  const { toPlainText } = await import('../plain-text.js')
  const due = shards.filter(({ isDue }) => isDue)
  for (const { path, bytes, bytesDropped, recordsDropped } of due) {
    const what = `${recordsDropped} records, ${sizeOf(bytesDropped)} of ${sizeOf(bytes)}`
    const verb = isApplied ? 'dropped' : 'would drop'
    await call.output.write(`${verb} ${what}  ${toPlainText(path)}\n`)
  }
  await call.output.flush()
  for (const { path, reason } of skipped)
    call.notes.say(`skipped ${toPlainText(path)}: ${toPlainText(reason)}`)
  if (due.length === 0) call.notes.say('Nothing is worth dropping')
  else if (!isApplied) call.notes.say('Nothing was changed; --apply does it')
}
