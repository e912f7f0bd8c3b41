// Sessions by what was said in them.

import { basename } from 'node:path'
import { findSearchMatches, type SearchHit, searchSessions } from '../../../store/index.js'
import type { Call, Command } from '../../command.js'
import { readNumber } from '../../input/arguments.js'
import { readSessionOption } from '../../input/target.js'
import { colorsOf } from '../../output/colors.js'
import { EXIT } from '../../output/exit-codes.js'
import { highlight } from '../../output/highlight.js'
import { toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'
import { withCounter } from '../../output/progress.js'
import { formatAge } from '../../output/units.js'

const LESSON = `Searches titles, prompts, replies and summaries of every project, ignoring case, and prints the best
match of each session. A session with more of the words comes first, then the one with the latest
message. Words of one or two letters count only together.

Examples:
  $ jsonl-session search trunk ports
  1f0c3e9d-…  network  3 min ago
    …keep the VLAN audit focused on trunk ports, and leave the rest…

  $ jsonl-session search 'trunk ports' --limit 1 --json
  {"query":"trunk ports","hits":[{"sessionId":"1f0c3e9d-…","rank":-3,…}],"count":1,"message":"…"}

Exit codes:
  0 found · 1 no match · 2 wrong use, failed, or a session could not be read
  3 no such session
`

export const search: Command = {
  name: 'search',
  summary: 'Find sessions by what was said in them',
  operand: '<query...>',
  operandText: 'what to search for, in one word or several',
  options: [
    { name: 'project', value: 'P', text: 'only sessions of this project' },
    { name: 'session', value: 'S', text: 'only this session' },
    { name: 'limit', value: 'N', text: 'print at most N, from 1 to 20 (default: 10)' },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    const options = {
      query: call.operands.join(' '),
      project: call.value('project'),
      sessionKey: readSessionOption(call, 'session'),
      limit: readNumber(call, 'limit'),
    }
    const result = await withCounter(call, (report) =>
      searchSessions(call.store, {
        ...options,
        onSession: ({ done, total }) => report(`Searching session ${done + 1} of ${total}`),
      }),
    )
    const { query, hits, count, message, skipped = [] } = result
    const rows = hits.map(({ sessionKey, ...hit }) => ({ sessionId: sessionKey, ...hit }))
    const exitCode = await printAnswer(call, {
      json: { query, hits: rows, count, message, skipped },
      skipped,
      lines: () => hits.flatMap((hit) => toLines(call, query, hit)),
      no: count === 0 ? message : undefined,
    })
    return skipped.length > 0 ? EXIT.failed : exitCode
  },
}

function toLines(call: Call, query: string, hit: SearchHit): string[] {
  const { sessionKey, project, updatedAt, excerpt } = hit
  const colors = colorsOf(call)
  const paint = (text: string) => colors.bold(colors.red(text))
  const matches = findSearchMatches(excerpt, query)
  const about = [
    colors.bold(toPlainText(sessionKey)),
    project === null ? [] : toPlainText(basename(project)),
    updatedAt === null ? [] : formatAge(updatedAt, call.env.now()),
  ].flat()
  return [about.join('  '), `  ${highlight(excerpt, matches, { columns: undefined, paint })}`]
}
