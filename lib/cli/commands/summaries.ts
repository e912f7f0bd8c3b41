// What sessions were summed up to.

import type { ExpandedNode, ExpandedSummary, SummaryList } from '../../store/index.js'
import { refuseTogether, storeOptionsOf, wholeNumberOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const SNIPPET_COLUMNS = 100

const LESSON = `The newest comes first: one for every compaction of a session, and those of checkpoints. They are
made from the logs when they are asked for. --expand shows one whole, with what it sums up
(children), what sums it up (parents) and the words it was made of.

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
  summary: 'List the summaries of all sessions, or look into one',
  operand: '',
  operandText: '',
  options: [
    { name: 'expand', value: 'ID', text: 'one of them with its neighbours' },
    { name: 'limit', value: 'N', text: 'at most N of them, up to 200 (default: 50)' },
  ],
  lesson: LESSON,

  async run(call) {
    refuseTogether(call, 'expand', 'limit')
    const id = call.value('expand')
    return id === undefined ? list(call) : expand(call, id)
  },
}

async function list(call: Call): Promise<number> {
  const { listSummaries } = await import('../../store/index.js')
  const limit = wholeNumberOf(call, 'limit')
  const checkpoints = await checkpointsFor(call)
  const found = listSummaries({ ...storeOptionsOf(call), limit, checkpoints })
  if (call.has('json')) await call.output.write(`${JSON.stringify(found)}\n`)
  else await printList(call, found)
  if (found.total > 0) return EXIT.done
  call.notes.say('Nothing was summed up yet')
  return EXIT.no
}

async function expand(call: Call, id: string): Promise<number> {
  const { expandSummary } = await import('../../store/index.js')
  const checkpoints = await checkpointsFor(call)
  const expanded = await expandSummary(id, { ...storeOptionsOf(call), checkpoints })
  if (call.has('json')) await call.output.write(`${JSON.stringify(expanded)}\n`)
  else await printExpanded(call, expanded)
  return EXIT.done
}

/** Those of all projects: what sums up a session may be one of them. */
async function checkpointsFor(call: Call) {
  const { listCheckpoints } = await import('../../store/index.js')
  const options = { ...storeOptionsOf(call), limit: Number.POSITIVE_INFINITY }
  return listCheckpoints(options).checkpoints.map(({ checkpoint }) => checkpoint)
}

async function printList(call: Call, { summaries: nodes }: SummaryList): Promise<void> {
  const { clip, toPlainText } = await import('../plain-text.js')
  const { ageOf } = await import('../session-table.js')
  const columns = call.output.columns ?? SNIPPET_COLUMNS
  for (const { id, source_type, source_ref, created_at, content } of nodes) {
    const row = [id, source_type, source_ref].map(toPlainText)
    const age = ageOf(created_at, Date.now())
    const text = clip(toPlainText(content), columns - 2)
    await call.output.write(`${[...row, age].join('  ')}\n  ${text}\n`)
  }
}

async function printExpanded(call: Call, expanded: ExpandedSummary): Promise<void> {
  const { toPlainLines, toPlainText } = await import('../plain-text.js')
  const { node, parents, children, transcript } = expanded
  const about = ({ id, sourceType, createdAt }: ExpandedNode) =>
    [id, sourceType, createdAt].map(toPlainText).join('  ')
  const lines = [
    about(node),
    ...toPlainLines(node.content),
    ...parents.map((parent) => `summed up by  ${about(parent)}`),
    ...children.map((child) => `sums up  ${about(child)}`),
    ...(transcript === null ? [] : ['', ...toPlainLines(transcript.excerpt)]),
  ]
  await call.output.write(lines.map((line) => `${line}\n`).join(''))
}
