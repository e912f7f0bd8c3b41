// A project that moved.

import { normalizeProject, relocateProject } from '../../../store/index.js'
import { type Command, DRY_RUN, UsageError } from '../../command.js'
import { resolveFile } from '../../input/arguments.js'
import { answer, answerDryRun } from '../../output/print.js'

const LESSON = `From now on commands for the new folder also find what was recorded under the old one: sessions and
checkpoints, and what had moved there before. Only a note is written; nothing is moved or changed.

Examples:
  $ jsonl-session relocate ~/parser ~/work/parser
  /home/ada/work/parser now includes /home/ada/parser

  $ jsonl-session relocate ~/parser ~/work/parser --json
  {"fromNormalized":"/home/ada/parser","toNormalized":"/home/ada/work/parser",…}

Exit codes:
  0 recorded · 2 wrong use, or failed · 5 locked by another process
`

export const relocate: Command = {
  name: 'relocate',
  summary: 'Record that a project moved to another folder',
  operand: '<old> <new>',
  operandText: ['where it was', 'where it is now'],
  options: [DRY_RUN],
  lesson: LESSON,

  async run(call) {
    // An empty word is a variable that was not set; it does not mean the current folder.
    if (call.operands.includes(''))
      throw new UsageError('relocate needs two folders, and one of them is empty')
    const [from, to] = call.operands.map((folder) => resolveFile(call, folder)) as [string, string]
    if (call.has('dry-run')) {
      const fields = {
        fromNormalized: normalizeProject(call.store, from),
        toNormalized: normalizeProject(call.store, to),
      }
      const what = `${fields.toNormalized} would include ${fields.fromNormalized}`
      return answerDryRun(call, { ...fields, from, to }, what)
    }
    const moved = await relocateProject(call.store, { from, to })
    const { from_normalized: fromNormalized, to_normalized: toNormalized } = moved
    return answer(
      call,
      { fromNormalized, toNormalized, from: moved.from, to: moved.to },
      `${toNormalized} now includes ${fromNormalized}`,
    )
  },
}
