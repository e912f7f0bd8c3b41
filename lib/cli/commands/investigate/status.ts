// Which sessions are active, and which program records them.

import { listActiveSessions, readSessionState, type SessionClaim } from '../../../store/index.js'
import type { Command } from '../../command.js'
import { findClaimedSession } from '../../input/target.js'
import { pad, toPlainText, widthOfText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'

const LESSON = `A session is active if a harness claims it, if a process has it open (library), or if it began or
got a message in the last four hours and has not ended (unknown). A claim lasts four hours from the
last call; bypassed means that hooks record nothing for the session.

Examples:
  $ jsonl-session status
  1f0c3e9d-…  plugin   since 2026-01-31T12:00:00.000Z  until 2026-01-31T16:20:00.000Z
  demo        library  since 2026-01-31T11:10:00.000Z

  $ jsonl-session status demo --json
  {"sessionId":"demo","runtimePath":"library","claimedAt":"2026-…","expiresAt":null,…}

Exit codes:
  0 printed · 1 none is active · 2 wrong use, or failed · 3 no such session
`

export const status: Command = {
  name: 'status',
  summary: 'Show active sessions, or the state of one session',
  operand: '[session]',
  operandText: 'a session (default: all that are active)',
  lesson: LESSON,

  async run(call) {
    const target = call.operands[0]
    if (target !== undefined) {
      const state = readSessionState(call.store, findClaimedSession(call, target))
      const note = state.active ? '' : '  not active'
      return printAnswer(call, { json: state, lines: () => toLines([state], note) })
    }
    const active = listActiveSessions(call.store)
    return printAnswer(call, {
      json: active,
      lines: () => toLines(active.sessions),
      no: active.count === 0 ? 'No session is active' : undefined,
    })
  },
}

function toLines(rows: readonly SessionClaim[], note = ''): string[] {
  const idColumns = Math.max(0, ...rows.map(({ sessionId }) => widthOfText(toPlainText(sessionId))))
  const pathColumns = Math.max(0, ...rows.map(({ runtimePath }) => runtimePath.length))
  return rows.map(({ sessionId, runtimePath, claimedAt, expiresAt, bypassed }) => {
    const parts = [
      pad(toPlainText(sessionId), idColumns),
      pad(runtimePath, pathColumns),
      claimedAt === null ? [] : `since ${claimedAt}`,
      expiresAt === null ? [] : `until ${expiresAt}`,
      bypassed ? 'bypassed' : [],
    ].flat()
    return `${parts.join('  ').trimEnd()}${note}`
  })
}
