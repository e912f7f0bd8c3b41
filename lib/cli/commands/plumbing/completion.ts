// Tab completion.

import { type Command, UsageError } from '../../command.js'
import { COMPLETION_SCRIPTS, SHELLS } from '../../completion/scripts.js'
import { printAnswer } from '../../output/print.js'

const LESSON = `Prints a script that asks this program what may come next: commands, options, and sessions with
their title and age where the shell shows them. It needs no update when the program is updated.

Examples:
  $ echo 'eval "$(jsonl-session completion bash)"' >> ~/.bashrc

  $ jsonl-session completion fish > ~/.config/fish/completions/jsonl-session.fish

For zsh: jsonl-session completion zsh > "\${fpath[1]}/_jsonl-session", and start a new shell.

Exit codes:
  0 printed · 2 wrong use
`

export const completion: Command = {
  name: 'completion',
  summary: 'Print a script for tab completion with session ids',
  operand: '<bash|zsh|fish>',
  operandText: 'the shell',
  lesson: LESSON,

  async run(call) {
    const shell = SHELLS.find((name) => name === call.operands[0])
    if (shell === undefined) {
      throw new UsageError(`completion supports ${SHELLS.join(', ')}, not "${call.operands[0]}"`)
    }
    const script = COMPLETION_SCRIPTS[shell]
    return printAnswer(call, { json: { shell, script }, lines: () => [script.trimEnd()] })
  },
}
