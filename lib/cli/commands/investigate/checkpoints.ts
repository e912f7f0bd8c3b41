// Checkpoints of a project or a session.

import { redactWords } from '../../../continuity/index.js'
import { SessionError } from '../../../errors.js'
import { findCheckpoint, listCheckpoints } from '../../../store/index.js'
import type { Call, Command } from '../../command.js'
import { readNumber, rejectTogether } from '../../input/arguments.js'
import { readSessionOption } from '../../input/target.js'
import { toPlainLines, toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'
import { formatAge, plural } from '../../output/units.js'

const LIST_LESSON = `Newest first: 10 of a project, or all of a session. Expired and deleted ones are not shown. With
--json they are printed as they are on disk.

Examples:
  $ jsonl-session checkpoint list
  4be0643f-1d98-573b-97cd-ca98a65347dd  3 min ago  periodic  demo  10 prompts

  $ jsonl-session checkpoint list --session demo --limit 1 --json
  [{"id":"4be0643f-…","session_key":"demo","created_at":"2026-01-31T12:00:00.000Z",…}]

Exit codes:
  0 listed · 1 there are none · 2 wrong use, or failed
`

export const checkpointList: Command = {
  name: 'checkpoint list',
  summary: 'List the checkpoints of this project, newest first',
  options: [
    { name: 'project', value: 'P', text: 'the project (default: the current folder)' },
    { name: 'session', value: 'S', text: 'a session instead of a project' },
    {
      name: 'scope',
      value: 'S',
      text: 'exact, repository or all (default: exact)',
      values: ['exact', 'repository', 'all'],
    },
    { name: 'limit', value: 'N', text: 'print at most N' },
  ],
  lesson: LIST_LESSON,

  async run(call) {
    rejectTogether(call, 'project', 'session')
    rejectTogether(call, 'scope', 'session')
    const found = listCheckpoints(call.store, {
      ...readTarget(call),
      limit: readNumber(call, 'limit'),
    })
    const checkpoints = found.checkpoints.map(({ checkpoint }) => redactWords(checkpoint))
    const none = 'No checkpoints; --scope all searches every project'
    return printAnswer(call, {
      json: checkpoints,
      stored: true,
      lines: () =>
        checkpoints.map(({ id, created_at, trigger, session_key, prompt_count }) => {
          const age = formatAge(created_at, call.env.now())
          const cells = [id, age, trigger, session_key, plural(prompt_count, 'prompt')]
          return cells.map(toPlainText).join('  ')
        }),
      diagnostics: found.diagnostics,
      no: checkpoints.length === 0 ? none : undefined,
    })
  },
}

function readTarget(call: Call) {
  const session = readSessionOption(call, 'session')
  if (session !== undefined) return { session }
  // The library rejects any other word.
  const scope = call.value('scope') as 'exact' | 'repository' | 'all' | undefined
  return { project: call.value('project') ?? call.io.cwd(), scope }
}

const SHOW_LESSON = `Prints the digest; with --json everything as it is on disk, and whether it is visible. A checkpoint
that retention hides is shown, too.

Examples:
  $ jsonl-session checkpoint show 4be0643f-1d98-573b-97cd-ca98a65347dd
  ## Session Checkpoint
  Project: /home/ada/parser
  Prompts: 10 | Duration: 42m

  $ jsonl-session checkpoint show 4be0643f-1d98-573b-97cd-ca98a65347dd --json
  {"id":"4be0643f-…","session_key":"demo",…,"visible":true}

Exit codes:
  0 shown · 2 wrong use, or failed · 3 not found
`

export const checkpointShow: Command = {
  name: 'checkpoint show',
  summary: 'Show one checkpoint',
  operand: '<id>',
  operandText: 'the id of the checkpoint',
  lesson: SHOW_LESSON,

  async run(call) {
    const id = call.operands[0]!
    const found = findCheckpoint(call.store, id)
    if (found === undefined) {
      throw new SessionError('ERR_NOT_FOUND', `No checkpoint "${id}"`, { id })
    }
    const checkpoint = redactWords(found.checkpoint)
    const { visible } = found
    return printAnswer(call, {
      json: { ...checkpoint, visible },
      stored: true,
      lines: () => toPlainLines(checkpoint.digest),
      notes: visible ? [] : ['It was deleted, or retention hides it'],
    })
  },
}
