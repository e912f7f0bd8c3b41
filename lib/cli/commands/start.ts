// The context a session gets at its start.

import type { StartMode } from '../../continuity/index.js'
import { refuseTogether, storeOptionsOf, wholeNumberOf } from '../arguments.js'
import type { Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Summaries of earlier sessions, facts, tasks, constraints and what there is to recover, as much as
the mode says and as fits. A look: nothing is written. Modes: default, planning, incident, handoff,
deep, minimal, none.

Examples:
  $ jsonl-session start --mode handoff
  # default

  ## Recent sessions
  - The parser is done; the tests are not.

  $ jsonl-session start --max-chars 4000 --json
  {"agentLabel":"default","sessionContext":{"recentSessions":[…],…},"recovery":null,…}

Exit codes:
  0 shown · 2 wrong use, or failed
`

export const start: Command = {
  name: 'start',
  summary: 'Show the context a session gets at its start',
  operand: '',
  operandText: '',
  options: [
    { name: 'mode', value: 'M', text: 'how much of what (default: default)' },
    { name: 'project', value: 'P', text: 'of this project (default: where you are)' },
    { name: 'all', text: 'of every project' },
    { name: 'max-chars', value: 'N', text: 'chars of the JSON (default: 16000)' },
    { name: 'session', value: 'S', text: 'the session that starts' },
    {
      name: 'nudge-after',
      value: 'N',
      text: 'suggest a checkpoint after N prompts without one of its own (default: never)',
    },
  ],
  lesson: LESSON,

  async run(call) {
    refuseTogether(call, 'project', 'all')
    const { sessionStart } = await import('../../continuity/index.js')
    const storeOptions = storeOptionsOf(call)
    const { keyIn, projectFor } = await import('../session-key.js')
    const sessionKey = await keyIn(call, 'session')
    const answer = await sessionStart({
      ...storeOptions,
      sessionKey,
      project: await projectFor(call, sessionKey),
      scope: call.has('all') ? 'all' : undefined,
      // Any other word is refused where modes are known.
      mode: call.value('mode') as StartMode | undefined,
      maxResponseChars: wholeNumberOf(call, 'max-chars'),
      nudgeAfter: wholeNumberOf(call, 'nudge-after'),
    })
    if (call.has('json')) await call.output.write(`${JSON.stringify(answer)}\n`)
    else {
      const { startText } = await import('../start-text.js')
      await call.output.write(startText(answer))
    }
    return EXIT.done
  },
}
