// `--pick`: the session is chosen by hand, and the command goes on as if it had been named.

import { basename } from 'node:path'
import { SessionError } from '../errors.js'
import { layoutOf, listSessions, type SessionDigest } from '../store/index.js'
import { storeOptionsOf } from './arguments.js'
import { colorsOf } from './colors.js'
import { type Parsed, UsageError } from './command.js'
import { previewer } from './pick-preview.js'
import { pickInTerminal } from './pick-terminal.js'
import { toPlainText } from './plain-text.js'
import type { Surroundings } from './run-command.js'
import { ageOf } from './session-table.js'

// Whatever chooses a session has done so.
const CHOOSING = ['pick', 'all', 'project']

/** The arguments with the session that was picked; `undefined` when none was. */
export async function withPicked(
  parsed: Parsed,
  { io, output }: Surroundings,
): Promise<Parsed | undefined> {
  if (parsed.operands.length > 0) {
    throw new UsageError('A session is named, so --pick has nothing to choose')
  }
  if (io.stdin.isTTY !== true || !output.isTerminal) {
    throw new UsageError('--pick needs a terminal on stdin and stdout; name a session instead')
  }
  const sessions = sessionsToPick(parsed, io.cwd())
  const byId = new Map(sessions.map((session) => [session.session_id, session]))
  const preview = previewer()
  const choice = await pickInTerminal(sessions.map(choiceOf), {
    io,
    colors: colorsOf({ has: parsed.has, io, output }),
    preview: ({ id }) => preview(byId.get(id)!),
  })
  if (choice === undefined) return undefined
  return {
    operands: [choice.id],
    value: (name) => (CHOOSING.includes(name) ? undefined : parsed.value(name)),
    has: (name) => !CHOOSING.includes(name) && parsed.has(name),
  }
}

/** Of this project, where it has any. Whoever sees the list can tell. */
function sessionsToPick(parsed: Parsed, cwd: string): SessionDigest[] {
  const store = storeOptionsOf(parsed)
  const given = parsed.value('project')
  const scopes = parsed.has('all') ? [undefined] : given === undefined ? [cwd, undefined] : [given]
  for (const project of scopes) {
    const { sessions } = listSessions({ ...store, project, all: project === undefined })
    const spoken = sessions.filter(({ isEmpty }) => !isEmpty)
    if (spoken.length > 0) return spoken
  }
  const { transcripts } = layoutOf(store)
  throw new SessionError('ERR_NOT_FOUND', `No session to pick in ${transcripts}`, {
    searched: transcripts,
  })
}

function choiceOf({ session_id, title, lastActivity, project, status }: SessionDigest) {
  const about = [
    lastActivity === null ? [] : ageOf(lastActivity, Date.now()),
    project === null ? [] : toPlainText(basename(project)),
    status === 'clean' ? [] : status,
  ].flat()
  return { id: session_id, title: toPlainText(title ?? ''), about: about.join(', ') }
}
