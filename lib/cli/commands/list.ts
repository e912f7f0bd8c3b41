// Which sessions there are.

import type { SessionList } from '../../store/index.js'
import { storeOptionsOf, wholeNumberOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `The newest comes first, by what was last said in it. open: a process has it; clean: it was closed;
crashed: it was not, and nothing of it is lost; empty: nothing was said yet. Events are counted
only where the file tells, or with --counts, which reads all of it.

Examples:
  $ jsonl-session list
  SESSION   TITLE                    STATUS   LAST       PROJECT  SIZE
  1f0c3e9d  Fix the parser           open     3 min ago  parser   1.2 MiB
  demo      hello                    crashed  yesterday  parser   591 B

  $ jsonl-session list --all --limit 1 --json
  {"sessions":[{"session_id":"1f0c3e9d-…","title":"Fix the parser",…}],"skipped":[]}

Exit codes:
  0 listed · 1 there are none · 2 wrong use, or failed
`

export const list: Command = {
  name: 'list',
  summary: 'List the sessions of this project, newest first',
  operand: '',
  operandText: '',
  options: [
    { name: 'project', value: 'P', text: 'of this project (default: where you are)' },
    { name: 'all', text: 'of every project; also empty sessions, headless and subagent ones' },
    { name: 'active', text: 'only those that a process has open' },
    { name: 'limit', value: 'N', text: 'at most N of them' },
    { name: 'counts', text: 'count the events of those that do not tell' },
  ],
  lesson: LESSON,

  async run(call) {
    const { listSessions } = await import('../../store/index.js')
    const storeOptions = storeOptionsOf(call)
    const project = projectOf(call)
    const found = listSessions({
      ...storeOptions,
      project,
      all: call.has('all'),
      active: call.has('active'),
      limit: wholeNumberOf(call, 'limit'),
      counts: call.has('counts'),
    })
    if (call.has('json')) await printJson(call, found)
    else await printTable(call, found)
    if (found.sessions.length > 0) return EXIT.done
    await tellMiss(call, project)
    return EXIT.no
  },
}

function projectOf(call: Call): string | undefined {
  return call.value('project') ?? (call.has('all') ? undefined : call.io.cwd())
}

async function printJson(call: Call, { sessions, skipped }: SessionList): Promise<void> {
  const rows = sessions.map(
    ({ session_id, title, project, status, startedAt, lastActivity, events, bytes }) => ({
      session_id,
      title,
      project,
      status,
      startedAt,
      lastActivity,
      events,
      bytes,
    }),
  )
  await call.output.write(`${JSON.stringify({ sessions: rows, skipped })}\n`)
}

async function printTable(call: Call, { sessions, skipped }: SessionList): Promise<void> {
  const { tellSkipped } = await import('../tell-skipped.js')
  if (sessions.length > 0) {
    const { sessionTable } = await import('../session-table.js')
    const { colorsOf } = await import('../colors.js')
    const { listTranscripts } = await import('../../store/index.js')
    const table = sessionTable(sessions, {
      columns: call.output.columns,
      colors: colorsOf(call),
      now: Date.now(),
      transcripts: listTranscripts(storeOptionsOf(call)),
    })
    await call.output.write(table)
    await call.output.flush()
  }
  tellSkipped(call, skipped)
}

async function tellMiss(call: Call, project: string | undefined): Promise<void> {
  const { layoutOf } = await import('../../store/index.js')
  const { transcripts } = layoutOf(storeOptionsOf(call))
  const what = call.has('active') ? 'No open sessions' : 'No sessions'
  if (project === undefined) return call.notes.say(`${what} in ${transcripts}`)
  call.notes.say(`${what} of ${project} in ${transcripts}; --all looks at every project`)
}
