// The summaries of sessions.

import {
  type ExpandedNode,
  type ExpandedSummary,
  expandSummary,
  listCheckpoints,
  listSummaries,
} from '../../../store/index.js'
import type { Call, Command } from '../../command.js'
import { readNumber, rejectTogether } from '../../input/arguments.js'
import { EXIT } from '../../output/exit-codes.js'
import { clip, toPlainLines, toPlainText } from '../../output/plain-text.js'
import { printJson, printLines } from '../../output/print.js'
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
    { name: 'expand', value: 'ID', text: 'one of them with its neighbours' },
    { name: 'limit', value: 'N', text: 'at most N of them, up to 200 (default: 50)' },
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
      if (call.has('json')) await printJson(call, expanded)
      else await printLines(call, toLines(expanded))
      return EXIT.done
    }
    const list = listSummaries(call.store, { limit: readNumber(call, 'limit'), checkpoints })
    if (call.has('json')) await printJson(call, list)
    else await printList(call, list.summaries)
    if (list.total > 0) return EXIT.done
    call.notes.say('There are no summaries yet')
    return EXIT.no
  },
}

async function printList(
  call: Call,
  nodes: ReturnType<typeof listSummaries>['summaries'],
): Promise<void> {
  const columns = call.output.columns ?? SNIPPET_COLUMNS
  for (const { id, source_type, source_ref, created_at, content } of nodes) {
    const row = [id, source_type, source_ref].map(toPlainText)
    const age = formatAge(created_at, call.env.now())
    const text = clip(toPlainText(content), columns - 2)
    await printLines(call, [[...row, age].join('  '), `  ${text}`])
  }
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
