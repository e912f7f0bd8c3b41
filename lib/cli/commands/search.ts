// Sessions by what was said in them.

import type { SearchResult } from '../../store/index.js'
import { storeOptionsOf, wholeNumberOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Looks through prompts, replies and summaries of every project, whatever the case of their letters,
and prints the best place of each session. A session that has more of the words comes first, then
the one in which something was said last. Words of one or two letters count only together.

Examples:
  $ jsonl-session search trunk ports
  1f0c3e9d-…  network  3 min ago
    …keep the VLAN audit focused on trunk ports, and leave the rest…

  $ jsonl-session search 'trunk ports' --limit 1 --json
  {"query":"trunk ports","hits":[{"sessionKey":"1f0c3e9d-…","rank":-3,…}],"count":1,"message":"…"}

Exit codes:
  0 found · 1 nothing was found · 2 wrong use, or failed · 3 no such session
`

export const search: Command = {
  name: 'search',
  summary: 'Find sessions by what was said in them',
  operand: '<query...>',
  operandText: 'what to look for, in one word or several',
  options: [
    { name: 'project', value: 'P', text: 'only sessions of this project' },
    { name: 'session', value: 'S', text: 'only this session' },
    { name: 'limit', value: 'N', text: 'at most N of them, from 1 to 20 (default: 10)' },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    const { searchSessions } = await import('../../store/index.js')
    const result = await searchSessions({
      ...storeOptionsOf(call),
      query: call.operands.join(' '),
      project: call.value('project'),
      sessionKey: call.value('session'),
      limit: wholeNumberOf(call, 'limit'),
    })
    if (call.has('json')) await call.output.write(`${JSON.stringify(result)}\n`)
    else await printHits(call, result)
    if (result.count > 0) return EXIT.done
    call.notes.say(result.message)
    return EXIT.no
  },
}

async function printHits(call: Call, { hits }: SearchResult): Promise<void> {
  const { basename } = await import('node:path')
  const { colorsOf } = await import('../colors.js')
  const { toPlainText } = await import('../plain-text.js')
  const { ageOf } = await import('../session-table.js')
  const colors = colorsOf(call)
  for (const { sessionKey, project, updatedAt, excerpt } of hits) {
    const about = [
      project === null ? [] : toPlainText(basename(project)),
      updatedAt === null ? [] : ageOf(updatedAt, Date.now()),
    ].flat()
    const key = colors.bold(toPlainText(sessionKey))
    await call.output.write(`${[key, ...about].join('  ')}\n  ${toPlainText(excerpt)}\n`)
  }
}
