// A store, ready to be used, and out of version control.

import type { InitializedStore } from '../../store/index.js'
import { storeOptionsOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Creates the folders that are missing, for their owner only, and where they lie in a git work tree
adds the lines to .gitignore that keep logs out of version control. What exists is left as it is,
so it is harmless to repeat. Nobody needs it: every command creates what it writes to.

Examples:
  $ jsonl-session init --root .
  created  /home/ada/parser/.transcripts
  …
  added    /home/ada/parser/.gitignore: .transcripts/ .sidechains/ .checkpoints/ …

  $ jsonl-session init --dry-run --json
  {"root":"/home/ada/.jsonl-session",…,"created":[…],"ignored":[],…,"isApplied":false}

Exit codes:
  0 done, shown, or nothing to do · 2 wrong use, or failed
`

export const init: Command = {
  name: 'init',
  summary: 'Set up a store, and keep it out of version control',
  operand: '',
  operandText: '',
  options: [{ name: 'dry-run', text: 'show what would be done, and do nothing' }],
  lesson: LESSON,

  async run(call) {
    const { initStore } = await import('../../store/index.js')
    const done = initStore({ ...storeOptionsOf(call), dryRun: call.has('dry-run') })
    if (call.has('json')) await call.output.write(`${JSON.stringify(done)}\n`)
    else await print(call, done)
    return EXIT.done
  },
}

async function print(call: Call, done: InitializedStore): Promise<void> {
  const { toPlainText } = await import('../plain-text.js')
  const { created, ignored, isComplete, isApplied } = done
  const [made, put] = isApplied ? ['created', 'added  '] : ['would create', 'would add   ']
  for (const path of created) await call.output.write(`${made}  ${toPlainText(path)}\n`)
  for (const { path, added } of ignored) {
    await call.output.write(`${put}  ${toPlainText(path)}: ${added.join(' ')}\n`)
  }
  await call.output.flush()
  if (isComplete) call.notes.say(`${toPlainText(done.root)} is set up already`)
  for (const line of nextSteps(call, done)) call.notes.say(toPlainText(line))
}

function nextSteps(call: Call, { root, ignored, isApplied }: InitializedStore): string[] {
  if (!isApplied) return ['Nothing was done; without --dry-run it is.']
  const lines: string[] = []
  if (ignored.length > 0)
    lines.push('What git tracks already it goes on tracking: git rm --cached.')
  const given = call.value('root') === undefined ? '' : ` --root ${root}`
  lines.push(`To record the sessions of Claude Code: jsonl-session hooks install --apply${given}`)
  lines.push(`To give agents the tools: claude mcp add sessions -- jsonl-session mcp${given}`)
  if (given !== '') lines.push(`To leave out --root: export JSONL_SESSION_ROOT=${root}`)
  return lines
}
