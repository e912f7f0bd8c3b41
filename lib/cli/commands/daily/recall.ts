// What agents have learnt and what sessions remembered, found by words.

import {
  recall as findMemories,
  MEMORY_TYPES,
  type RecalledMemory,
  type RecallResult,
} from '../../../continuity/index.js'
import { recallOnce } from '../../../session/index.js'
import { findKnownSession } from '../../../store/index.js'
import { type Call, type Command, DRY_RUN, UsageError } from '../../command.js'
import { readNumber } from '../../input/arguments.js'
import { findSession } from '../../input/target.js'
import { colorsOf } from '../../output/colors.js'
import { toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'
import { formatAge } from '../../output/units.js'

const LESSON = `Searches the memories that agents stored with their checkpoints and the texts that sessions
remembered, of every project and at any age. Results with more of the words come first, then
more important ones, then newer ones. To search what was said in sessions, use search.

With --session, memories that this session recalled since its last compaction are left out, and what
is printed is recorded in its log. Without it, nothing is recorded.

Examples:
  $ jsonl-session recall port
  fact  The staging server listens on port 8080.  3 days ago

  $ jsonl-session recall '"dark mode" OR theme' --type preference --json
  {"query":"\\"dark mode\\" OR theme","results":[{"text":"…",…}],"count":1,…}

Exit codes:
  0 found · 1 no match · 2 wrong use, or failed · 3 no such session
`

export const recall: Command = {
  name: 'recall',
  summary: 'Search what agents have learnt',
  operand: '<query...>',
  operandText: 'words and "quoted phrases"; one of them must occur',
  options: [
    { name: 'project', value: 'P', text: 'only of this project' },
    {
      name: 'type',
      value: 'T',
      text: 'only this type, for example constraint or remember',
      values: [...MEMORY_TYPES, 'remember'],
      isOpen: true,
    },
    {
      name: 'tags',
      value: 'NAMES',
      text: 'only memories about one of these names, separated by commas',
    },
    { name: 'since', value: 'TIME', text: 'only what was stored then or later' },
    { name: 'until', value: 'TIME', text: 'only what was stored before' },
    { name: 'limit', value: 'N', text: 'print at most N, from 1 to 50 (default: 10)' },
    { name: 'session', value: 'S', text: 'for this session: what it has recalled is left out' },
    { name: 'include-recalled', text: 'with --session: include what it has recalled' },
    DRY_RUN,
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    const given = call.value('session')
    if (given === undefined && call.has('include-recalled')) {
      throw new UsageError('--include-recalled needs --session ID')
    }
    const options = {
      query: call.operands.join(' '),
      project: call.value('project'),
      type: call.value('type'),
      tags: call.value('tags'),
      since: call.value('since'),
      until: call.value('until'),
      limit: readNumber(call, 'limit'),
    }
    const result =
      given === undefined
        ? findMemories(call.store, options)
        : await recallOnce(call.store, findKnownSession(call.store, findSession(call, given)), {
            ...options,
            includeRecalled: call.has('include-recalled'),
            dryRun: call.has('dry-run'),
          })
    const no = result.count === 0 ? noneText(result) : undefined
    const lines = () => result.results.map((memory) => lineOf(memory, call))
    return printAnswer(call, { json: result, lines, no })
  },
}

function noneText({ meta: { leftOut } }: RecallResult): string {
  if (leftOut === 0) return 'Nothing matches; search looks into sessions'
  return `Nothing else matches; --include-recalled prints ${leftOut} that the session has recalled`
}

function lineOf({ memoryType, text, ts }: RecalledMemory, call: Call): string {
  const colors = colorsOf(call)
  const age = formatAge(ts, call.env.now())
  return `${colors.bold(toPlainText(memoryType))}  ${toPlainText(text)}  ${age}`
}
