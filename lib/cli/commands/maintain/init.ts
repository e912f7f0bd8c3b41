// Sets up a store, and keeps it out of version control.

import { type InitializedStore, initStore } from '../../../store/index.js'
import { type Call, type Command, DRY_RUN } from '../../command.js'
import { toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'

const LESSON = `Creates the folders that are missing, for their owner only, and in a git work tree adds the lines to
.gitignore that keep logs out of version control. What exists stays as it is, so it can be
repeated. It is optional: every command creates what it writes to.

Examples:
  $ jsonl-session init --root .
  created  /home/ada/parser/.transcripts
  …
  added    /home/ada/parser/.gitignore: .transcripts/ .sidechains/ .checkpoints/ …

  $ jsonl-session init --dry-run --json
  {"root":"/home/ada/.jsonl-session",…,"created":[…],"ignored":[],…,"applied":false}

Exit codes:
  0 done, shown, or nothing to do · 2 wrong use, or failed
`

export const init: Command = {
  name: 'init',
  summary: 'Set up a store, and keep it out of version control',
  options: [DRY_RUN],
  lesson: LESSON,

  async run(call) {
    const done = initStore(call.store, { dryRun: call.has('dry-run') })
    const { created, ignored, applied } = done
    const [made, put] = applied ? ['created', 'added  '] : ['would create', 'would add   ']
    return printAnswer(call, {
      json: done,
      lines: () => [
        ...created.map((path) => `${made}  ${toPlainText(path)}`),
        ...ignored.map(({ path, added }) => `${put}  ${toPlainText(path)}: ${added.join(' ')}`),
      ],
      notes: nextSteps(call, done).map(toPlainText),
    })
  },
}

function nextSteps(call: Call, { root, ignored, applied, complete }: InitializedStore): string[] {
  const lines = complete ? [`${root} is set up already`] : []
  if (!applied) return [...lines, 'Nothing was written']
  if (ignored.length > 0) lines.push('Git still tracks what it tracked before: git rm --cached.')
  const given = call.value('root') === undefined ? '' : ` --root ${root}`
  lines.push(`To record the sessions of Claude Code: jsonl-session hooks install --apply${given}`)
  lines.push(`To give agents the tools: claude mcp add sessions -- jsonl-session mcp${given}`)
  if (given !== '') lines.push(`To omit --root: export JSONL_SESSION_ROOT=${root}`)
  return lines
}
