// `--pick`: the user chooses the session from a list, and the command runs as if it were named.

import { basename } from 'node:path'
import { wordsOf } from '../../chain/index.js'
import type { Environment } from '../../environment/index.js'
import { SessionError } from '../../errors.js'
import { readLogBackwardSync } from '../../log/index.js'
import { listSessions, type SessionInfo } from '../../store/index.js'
import { type Parsed, UsageError } from '../command.js'
import { openStore } from '../input/arguments.js'
import { colorsOf } from '../output/colors.js'
import { toPlainLines, toPlainText } from '../output/plain-text.js'
import { formatAge } from '../output/units.js'
import { environmentOf, type Surroundings } from '../run-command.js'
import type { Choice } from './model.js'
import { pickInTerminal } from './terminal.js'

// These options choose a session, which is done.
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
  const env = environmentOf(io)
  const sessions = sessionsToPick({ ...parsed, env })
  const byId = new Map(sessions.map((session) => [session.sessionId, session]))
  const preview = previewer(env)
  const choice = await pickInTerminal(
    sessions.map((session) => toChoice(session, env.now())),
    {
      io,
      colors: colorsOf({ has: parsed.has, io, output }),
      preview: ({ id }) => preview(byId.get(id)!),
    },
  )
  if (choice === undefined) return undefined
  return {
    operands: [choice.id],
    value: (name) => (CHOOSING.includes(name) ? undefined : parsed.value(name)),
    has: (name) => !CHOOSING.includes(name) && parsed.has(name),
  }
}

/** Those of this project; of all projects if it has none. */
function sessionsToPick(parsed: Parsed & { env: Environment }): SessionInfo[] {
  const store = openStore(parsed, () => {})
  const cwd = parsed.env.host.cwd()
  const given = parsed.value('project')
  const scopes = parsed.has('all') ? [undefined] : given === undefined ? [cwd, undefined] : [given]
  for (const project of scopes) {
    const { sessions } = listSessions(store, { project, all: project === undefined })
    const spoken = sessions.filter(({ empty }) => !empty)
    if (spoken.length > 0) return spoken
  }
  const { transcripts } = store.layout
  throw new SessionError('ERR_NOT_FOUND', `No session to pick in ${transcripts}`, {
    searched: transcripts,
  })
}

function toChoice(
  { sessionId, title, lastActivity, project, status }: SessionInfo,
  now: number,
): Choice {
  const about = [
    lastActivity === null ? [] : formatAge(lastActivity, now),
    project === null ? [] : toPlainText(basename(project)),
    status === 'clean' ? [] : status,
  ].flat()
  return { id: sessionId, title: toPlainText(title ?? ''), about: about.join(', ') }
}

const READ_BYTES_MAX = 256 * 1024
const MESSAGES_MAX = 6
const LINES_PER_MESSAGE_MAX = 6

const ROLES: ReadonlyMap<string, string> = new Map([
  ['user', 'User'],
  ['assistant', 'Assistant'],
])

/** Each session is read once. */
export function previewer(env: Environment): (digest: SessionInfo) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (digest) => {
    const lines = known.get(digest.path) ?? lastWords(env, digest)
    known.set(digest.path, lines)
    return lines
  }
}

function lastWords(environment: Environment, { path, bytes }: SessionInfo): string[] {
  const messages: string[][] = []
  const from = Math.max(0, bytes - READ_BYTES_MAX)
  try {
    for (const entry of readLogBackwardSync(path, { from, environment })) {
      if (entry.kind !== 'event') continue
      const role = ROLES.get(entry.event.type)
      if (role === undefined) continue
      const lines = toPlainLines(wordsOf(entry.event.payload))
      if (lines.length === 0) continue
      messages.unshift([`${role}: ${lines[0]}`, ...lines.slice(1, LINES_PER_MESSAGE_MAX)])
      if (messages.length >= MESSAGES_MAX) break
    }
  } catch (error) {
    return [`(${(error as Error).message})`]
  }
  return messages.flat()
}
