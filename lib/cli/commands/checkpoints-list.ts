// Which checkpoints there are.

import type { CheckpointPayload } from '../../store/index.js'
import { refuseTogether, storeOptionsOf, wholeNumberOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `The newest comes first: 10 of a project, or all of a session. Those past retention, and those that
were deleted, are not shown.

Examples:
  $ jsonl-session checkpoints list
  4be0643f-1d98-573b-97cd-ca98a65347dd  3 min ago  periodic  demo  10 prompts

  $ jsonl-session checkpoints list --session demo --limit 1 --json
  [{"id":"4be0643f-…","session_key":"demo","created_at":"2026-01-31T12:00:00.000Z",…}]

Exit codes:
  0 listed · 1 there are none · 2 wrong use, or failed
`

export const checkpointsList: Command = {
  name: 'checkpoints list',
  summary: 'List the checkpoints of this project, newest first',
  operand: '',
  operandText: '',
  options: [
    { name: 'project', value: 'P', text: 'of this project (default: where you are)' },
    { name: 'session', value: 'S', text: 'of this session instead' },
    { name: 'scope', value: 'S', text: 'exact, repository or all (default: exact)' },
    { name: 'limit', value: 'N', text: 'at most N of them' },
  ],
  lesson: LESSON,

  async run(call) {
    refuseTogether(call, 'project', 'session')
    refuseTogether(call, 'scope', 'session')
    const { listCheckpoints } = await import('../../store/index.js')
    const { redactWords } = await import('../../continuity/index.js')
    const found = listCheckpoints({
      ...storeOptionsOf(call),
      ...(await targetOf(call)),
      limit: wholeNumberOf(call, 'limit'),
    })
    for (const diagnostic of found.diagnostics) call.notes.tell(diagnostic)
    const checkpoints = found.checkpoints.map(({ checkpoint }) => redactWords(checkpoint))
    if (call.has('json')) await call.output.write(`${JSON.stringify(checkpoints)}\n`)
    else await printRows(call, checkpoints)
    if (checkpoints.length > 0) return EXIT.done
    call.notes.say('No checkpoints; --scope all looks at every project')
    return EXIT.no
  },
}

async function targetOf(call: Call) {
  const { keyIn } = await import('../session-key.js')
  const session = await keyIn(call, 'session')
  if (session === undefined) {
    // Any other word is refused where scopes are known.
    const scope = call.value('scope') as 'exact' | 'repository' | 'all' | undefined
    return { project: call.value('project') ?? call.io.cwd(), scope }
  }
  return { session }
}

async function printRows(call: Call, checkpoints: readonly CheckpointPayload[]): Promise<void> {
  const { ageOf } = await import('../session-table.js')
  const { toPlainText } = await import('../plain-text.js')
  const now = Date.now()
  for (const { id, created_at, trigger, session_key, prompt_count } of checkpoints) {
    const prompts = `${prompt_count} prompt${prompt_count === 1 ? '' : 's'}`
    const cells = [id, ageOf(created_at, now), trigger, session_key, prompts]
    await call.output.write(`${cells.map(toPlainText).join('  ')}\n`)
  }
}
