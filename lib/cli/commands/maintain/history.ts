// The files of the prompt history: a new one now, and old ones removed.

import { rotateHistory, sweepHistory } from '../../../store/index.js'
import { type Command, DRY_RUN, PLAN_OPTIONS } from '../../command.js'
import { answerDryRun, planCommand, printAnswer } from '../../output/print.js'
import { formatSize } from '../../output/units.js'

const ROTATE_LESSON = `The history rotates automatically at 10 MiB or 10,000 prompts; this does it now. Files are renamed,
never changed, and all of them are still read.

Examples:
  $ jsonl-session history rotate
  rotated: the prompts so far are in /home/ada/.jsonl-session/history.jsonl.1

  $ jsonl-session history rotate --json
  {"rotated":true,"file":"/home/ada/.jsonl-session/history.jsonl.1"}

Exit codes:
  0 rotated, or nothing to rotate · 2 wrong use, or failed · 5 locked by another process
`

export const historyRotate: Command = {
  name: 'history rotate',
  summary: 'Start a new history file',
  options: [DRY_RUN],
  lesson: ROTATE_LESSON,

  async run(call) {
    const { historyPath } = call.store.layout
    if (call.has('dry-run')) {
      const what = `would rename ${historyPath} to ${historyPath}.1`
      return answerDryRun(call, { file: historyPath }, what)
    }
    const rotation = await rotateHistory(call.store)
    const { rotated, file } = rotation
    return printAnswer(call, {
      json: rotation,
      lines: () => (rotated ? [`rotated: the prompts so far are in ${file}`] : []),
      notes: rotated ? [] : [`Nothing to rotate in ${historyPath}`],
    })
  },
}

const SWEEP_LESSON = `Shows a plan; --apply carries it out. Of the files that the history was rotated to, the newest is
kept and the others are removed. With HISTORY_RETAIN_DAYS that one is removed too when all its
prompts are older. The live file does not change.

Examples:
  $ jsonl-session history sweep
  would remove /home/ada/.jsonl-session/history.jsonl.2  10 MiB  a newer one exists

  $ jsonl-session history sweep --apply --json
  {"applied":true,"files":[{"file":"/home/ada/.jsonl-session/history.jsonl.2",…}]}

Exit codes:
  0 removed, shown, or nothing to remove · 2 wrong use, or failed · 5 locked by another process
`

const REASONS = {
  rollover: 'a newer one exists',
  retention: 'all its prompts are older than HISTORY_RETAIN_DAYS',
} as const

export const historySweep: Command = {
  name: 'history sweep',
  summary: 'Remove old history files',
  options: PLAN_OPTIONS,
  lesson: SWEEP_LESSON,
  run: (call) =>
    planCommand(call, async (apply) => {
      const { historyPath } = call.store.layout
      const report = await sweepHistory(call.store, { apply })
      const verb = apply ? 'removed' : 'would remove'
      return {
        json: report,
        rows: report.files.map(
          ({ file, bytes, reason }) => `${verb} ${file}  ${formatSize(bytes)}  ${REASONS[reason]}`,
        ),
        idle: report.files.length === 0 && `Nothing to remove next to ${historyPath}`,
      }
    }),
}
