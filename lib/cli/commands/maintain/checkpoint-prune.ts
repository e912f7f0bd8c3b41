// Drops checkpoints from the disk that retention hides.

import { pruneCheckpoints } from '../../../store/index.js'
import { type Command, PLAN_OPTIONS } from '../../command.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { planCommand } from '../../output/print.js'
import { formatSize, plural } from '../../output/units.js'

const LESSON = `Shows a plan; --apply carries it out. A shard is rewritten when it is larger than 1 MiB and half of
it would be dropped; with --force every shard is. retention.jsonl records what was dropped.

Examples:
  $ jsonl-session checkpoint prune
  would drop 812 records, 1.4 MiB of 2.1 MiB  /home/ada/.jsonl-session/.checkpoints/parser-….jsonl

  $ jsonl-session checkpoint prune --apply --json
  {"applied":true,"shards":[{"path":"…","bytes":2202009,…,"due":true}],"skipped":[]}

Exit codes:
  0 dropped, shown, or nothing to do · 2 wrong use, failed, or a shard was skipped
`

export const checkpointPrune: Command = {
  name: 'checkpoint prune',
  summary: 'Remove expired and deleted checkpoints from the disk',
  options: [...PLAN_OPTIONS, { name: 'force', text: 'rewrite files even if little is removed' }],
  lesson: LESSON,
  run: (call) =>
    planCommand(call, async (apply) => {
      const report = await pruneCheckpoints(call.store, { apply, force: call.has('force') })
      const due = report.shards.filter((shard) => shard.due)
      return {
        json: report,
        rows: due.map(({ path, bytes, bytesDropped, recordsDropped }) => {
          const sizes = `${formatSize(bytesDropped)} of ${formatSize(bytes)}`
          const verb = apply ? 'dropped' : 'would drop'
          return `${verb} ${plural(recordsDropped, 'record')}, ${sizes}  ${toPlainText(path)}`
        }),
        skipped: report.skipped,
        idle: due.length === 0 && 'Nothing is worth dropping',
        exitCode: report.skipped.length > 0 ? EXIT.failed : EXIT.done,
      }
    }),
}
