// The archive and the trash have the same three commands; only their names and lessons differ.

import { storeOptionsOf } from './arguments.js'
import type { Call, Command } from './command.js'
import { EXIT } from './exit-codes.js'

type Place = 'archive' | 'trash'

/** Puts sessions away. */
export async function runRetire(call: Call, to: Place): Promise<number> {
  const { reportRetention, selectionOf } = await import('./retention-report.js')
  const selection = selectionOf(call)
  const { retireSessions } = await import('../store/index.js')
  const { withProgress } = await import('./progress.js')
  const report = await withProgress(call.notes, 'looking at sessions', () =>
    retireSessions({ ...selection, to }),
  )
  const done = to === 'archive' ? 'archived' : 'trashed'
  return reportRetention(call, report, { done, planned: `would ${to}` })
}

/** With what the lesson should say first. */
export function listCommand(place: Place, first: string): Command {
  return {
    name: `${place} list`,
    summary: `Show the sessions that lie in the ${place}`,
    operand: '',
    operandText: '',
    options: [],
    lesson: listLesson(place, first),
    async run(call) {
      const { listRetired } = await import('../store/index.js')
      const { sessions, skipped } = await listRetired(place, storeOptionsOf(call))
      const { ageOf, sizeOf } = await import('./session-table.js')
      const { toPlainText } = await import('./plain-text.js')
      if (call.has('json')) {
        const rows = sessions.map(({ session_id, path, files, bytes, lastActivity, digest }) => {
          return { session_id, title: digest.title, path, files, bytes, lastActivity }
        })
        await call.output.write(`${JSON.stringify({ sessions: rows, skipped })}\n`)
      } else {
        for (const { session_id, bytes, lastActivity, digest } of sessions) {
          const age = lastActivity === null ? 'undated' : ageOf(lastActivity, Date.now())
          const title = toPlainText(digest.title ?? '')
          const row = `${toPlainText(session_id)}  ${sizeOf(bytes)}  ${age}  ${title}`
          await call.output.write(`${row.trimEnd()}\n`)
        }
        await call.output.flush()
        for (const { path, reason } of skipped) {
          call.notes.say(`skipped ${toPlainText(path)}: ${toPlainText(reason)}`)
        }
        if (sessions.length === 0) call.notes.say(`The ${place} is empty`)
      }
      return sessions.length > 0 ? EXIT.done : EXIT.no
    },
  }
}

export function restoreCommand(place: Place): Command {
  return {
    name: `${place} restore`,
    summary: `Bring sessions back from the ${place}, with those that they go on from`,
    operand: '<session...>',
    operandText: 'the sessions',
    options: [],
    lesson: restoreLesson(place),
    async run(call) {
      const { restoreSessions } = await import('../store/index.js')
      const sessions = call.operands
      const report = await restoreSessions({ ...storeOptionsOf(call), sessions, from: place })
      const { reportRetention } = await import('./retention-report.js')
      return reportRetention(call, report, { done: 'restored', planned: 'would restore' })
    },
  }
}

function listLesson(place: Place, first: string): string {
  return `${first}

Examples:
  $ jsonl-session ${place} list
  demo  1.4 MiB  2026-01-31  Rename the config key

  $ jsonl-session ${place} list --json
  {"sessions":[{"session_id":"demo","title":"Rename the config key","path":"…",…}],"skipped":[]}

Exit codes:
  0 shown · 1 the ${place} is empty · 2 wrong use, or failed
`
}

function restoreLesson(place: Place): string {
  return `At once: nothing is lost by it. A session that goes on from another brings that one along.

Examples:
  $ jsonl-session ${place} restore demo
  restored  demo  1.4 MiB  2026-01-31

  $ jsonl-session ${place} restore demo --json
  {"isApplied":true,"sessions":[{"session_id":"demo","from":"${place}","to":"store",…}],…}

Exit codes:
  0 restored · 1 a session of that id is there already · 2 wrong use, or failed
  3 no such session in the ${place} · 5 locked by another
`
}
