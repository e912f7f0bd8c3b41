// Which sessions go on now, and who speaks for them.

import type { SessionClaim } from '../../store/index.js'
import { storeOptionsOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Active is a session that a harness claims, one that a process has open (library), and one that
began, or in which something was said, in the last four hours and that was not ended (unknown).
A claim lasts four hours from the last call; bypassed means that hooks are silent for the session.

Examples:
  $ jsonl-session status
  1f0c3e9d-…  plugin   since 2026-01-31T12:00:00.000Z  until 2026-01-31T16:20:00.000Z
  demo        library  since 2026-01-31T11:10:00.000Z

  $ jsonl-session status demo --json
  {"key":"demo","runtimePath":"library","claimedAt":"2026-…","expiresAt":null,"bypassed":false,…}

Exit codes:
  0 printed · 1 none is active · 2 wrong use, or failed · 3 no such session
`

export const status: Command = {
  name: 'status',
  summary: 'Show the sessions that are active, or one of any state',
  operand: '[session]',
  operandText: 'a session (default: all that are active)',
  options: [],
  lesson: LESSON,

  async run(call) {
    const target = call.operands[0]
    if (target !== undefined) return printOne(call, target)
    const { listActiveSessions } = await import('../../store/index.js')
    const active = listActiveSessions(storeOptionsOf(call))
    if (call.has('json')) await call.output.write(`${JSON.stringify(active)}\n`)
    else await printRows(call, active.sessions)
    if (active.count > 0) return EXIT.done
    call.notes.say('No session is active')
    return EXIT.no
  },
}

async function printOne(call: Call, target: string): Promise<number> {
  const options = storeOptionsOf(call)
  const { sessionOf } = await import('../target.js')
  const { readSessionState } = await import('../../store/index.js')
  const state = readSessionState(await sessionOf(target, options), options)
  if (call.has('json')) await call.output.write(`${JSON.stringify(state)}\n`)
  else await printRows(call, [state], state.isActive ? '' : '  not active')
  return EXIT.done
}

async function printRows(call: Call, rows: readonly SessionClaim[], note = ''): Promise<void> {
  const { pad, toPlainText, widthOfText } = await import('../plain-text.js')
  const cells = rows.map(({ key, runtimePath }) => [toPlainText(key), runtimePath] as const)
  const keyColumns = Math.max(0, ...cells.map(([key]) => widthOfText(key)))
  const pathColumns = Math.max(0, ...cells.map(([, path]) => path.length))
  for (const [index, { claimedAt, expiresAt, bypassed }] of rows.entries()) {
    const [key, path] = cells[index]!
    const parts = [
      pad(key, keyColumns),
      pad(path, pathColumns),
      claimedAt === null ? [] : `since ${claimedAt}`,
      expiresAt === null ? [] : `until ${expiresAt}`,
      bypassed ? 'bypassed' : [],
    ].flat()
    await call.output.write(`${parts.join('  ').trimEnd()}${note}\n`)
  }
}
