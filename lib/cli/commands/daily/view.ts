// A session to read on a terminal.

import { SessionError } from '../../../errors.js'
import { findEvent, isUnreadable, readSessionInfo } from '../../../store/index.js'
import { type Call, type Command, PICK, UsageError } from '../../command.js'
import { EVENT_TEXT, findEventUuid } from '../../input/event.js'
import { findLog } from '../../input/target.js'
import { EXIT } from '../../output/exit-codes.js'
import { runViewer } from '../../view/run-viewer.js'

const LESSON = `Opens at the end of the session and reads only what the screen shows, so a session of a gigabyte
opens as fast as a small one. Turns are shortened and tool calls take one line, with the outcome
beside them; Enter opens one. Three lenses show the same session: every event as it was written,
what the model sees now (l), and what the model saw when the selected event was the newest (a).
Subagents open in place. Nothing is ever written.

Keys:
  ↑ ↓ PgUp PgDn g G    scroll              /  n  N    search, next match, previous match
  Tab  Shift-Tab       next, previous      p  e  c    next prompt, error, compaction
  Enter  O             open one, open all  P  E  C    previous prompt, error, compaction
  l  a                 change the lens     r  y       show as JSON, copy the id
  F                    follow              ?  q       all keys, quit

Examples:
  $ jsonl-session view demo --at 0b0e7a52
  $ jsonl-session view -f demo

Exit codes:
  0 viewed · 1 none was picked · 2 wrong use, no terminal, or failed · 3 not found
`

export const view: Command = {
  name: 'view',
  summary: 'Read a session on the terminal: fold, search, follow, see what the model saw',
  operand: '[session]',
  operandText: 'a session, or a log file; not with --pick',
  options: [
    { name: 'at', value: 'EVENT', text: `begin at this event: ${EVENT_TEXT}` },
    { name: 'follow', short: 'f', text: 'stay at the end as the session grows' },
    PICK,
  ],
  lesson: LESSON,

  async run(call) {
    const [target] = call.operands
    if (target === undefined) throw new UsageError('view needs a session, a file, or --pick')
    const { stdin, env } = call.io
    if (stdin.isTTY !== true || !call.output.isTerminal || env['TERM'] === 'dumb') {
      throw new UsageError('view needs a terminal; `jsonl-session show` prints a session')
    }
    const path = findLog(call, target)
    const info = readSessionInfo(call.store, path)
    await runViewer(call, {
      path,
      title: isUnreadable(info) ? target : (info.title ?? info.sessionId),
      at: findPlace(call, path),
      isFollowing: call.has('follow'),
    })
    return EXIT.done
  },
}

function findPlace(call: Call, path: string): number | undefined {
  const given = call.value('at')
  if (given === undefined) return undefined
  const uuid = findEventUuid(call, path, given)
  const found = findEvent(call.store, path, uuid)
  if (found !== undefined) return found.byte_offset
  throw new SessionError('ERR_NOT_FOUND', `No event "${given}" in ${path}`, { at: given, path })
}
