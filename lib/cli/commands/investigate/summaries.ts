// The summaries of sessions.

import {
  type ExpandedNode,
  type ExpandedSummary,
  expandSummary,
  listCheckpoints,
  listSummaries,
} from '../../../store/index.js'
import type { Command } from '../../command.js'
import { readNumber, rejectTogether } from '../../input/arguments.js'
import { clip, toPlainLines, toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'
import { formatAge } from '../../output/units.js'

const SNIPPET_COLUMNS = 100

const LESSON = `Newest first: one for every compaction of a session, and those of checkpoints, read from the logs.
--expand shows one in full, with the summaries it covers (children), those that cover it (parents)
and the transcript it was made from.

Examples:
  $ jsonl-session summaries --limit 1
  demo:0d1f6a4f-…  compaction  demo  3 min ago
    The config key was renamed in three files; tests are next.

  $ jsonl-session summaries --expand demo:0d1f6a4f-… --json
  {"node":{"id":"demo:0d1f6a4f-…",…},"parents":[],"children":[],"transcript":{…},…}

Exit codes:
  0 printed · 1 there are none · 2 wrong use, or failed · 3 no such summary
`

export const summaries: Command = {
  name: 'summaries',
  summary: 'List the summaries of all sessions, or show one in full',
  options: [
    { name: 'expand', value: 'ID', text: 'print one summary with its neighbours' },
    { name: 'limit', value: 'N', text: 'print at most N, up to 200 (default: 50)' },
  ],
  lesson: LESSON,

  async run(call) {
    rejectTogether(call, 'expand', 'limit')
    // Those of all projects: a summary of a session may be one of them.
    const found = listCheckpoints(call.store, { limit: Number.POSITIVE_INFINITY })
    const checkpoints = found.checkpoints.map(({ checkpoint }) => checkpoint)
    const id = call.value('expand')
    if (id !== undefined) {
      const expanded = await expandSummary(call.store, id, { checkpoints })
      return printAnswer(call, { json: expanded, lines: () => toLines(expanded) })
    }
    const list = listSummaries(call.store, { limit: readNumber(call, 'limit'), checkpoints })
    const columns = call.output.columns ?? SNIPPET_COLUMNS
    return printAnswer(call, {
      json: list,
      lines: () =>
        list.summaries.flatMap(({ id, source_type, source_ref, created_at, content }) => {
          const row = [id, source_type, source_ref].map(toPlainText)
          const age = formatAge(created_at, call.env.now())
          return [[...row, age].join('  '), `  ${clip(toPlainText(content), columns - 2)}`]
        }),
      no: list.total === 0 ? 'There are no summaries yet' : undefined,
    })
  },
}

function toLines({ node, parents, children, transcript }: ExpandedSummary): string[] {
  const about = ({ id, sourceType, createdAt }: ExpandedNode) =>
    [id, sourceType, createdAt].map(toPlainText).join('  ')
  return [
    about(node),
    ...toPlainLines(node.content),
    ...parents.map((parent) => `covered by  ${about(parent)}`),
    ...children.map((child) => `covers  ${about(child)}`),
    ...(transcript === null ? [] : ['', ...toPlainLines(transcript.excerpt)]),
  ]
}
