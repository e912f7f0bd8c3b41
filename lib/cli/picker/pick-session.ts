// `--pick`: the user chooses the session from a list, and the command runs as if it were named.

import { basename } from 'node:path'
import { SessionError } from '../../errors.js'
import {
  isUnreadable,
  listSessions,
  readSessionInfo,
  type SessionInfo,
  type StoreContext,
} from '../../store/index.js'
import { type Command, type Parsed, UsageError } from '../command.js'
import { openStore } from '../input/arguments.js'
import { colorsOf } from '../output/colors.js'
import { Notes } from '../output/notes.js'
import { toPlainText } from '../output/plain-text.js'
import { watchReads } from '../output/read-progress.js'
import { formatAge } from '../output/units.js'
import { environmentOf, type Surroundings } from '../run-command.js'
import { pickActions } from './actions.js'
import { type Choice, toChoice } from './model.js'
import { pickMessage } from './pick-message.js'
import { previewer } from './preview.js'
import { readPrompts } from './prompts.js'
import { type Picked, pickInTerminal } from './terminal.js'

/** The arguments with the session that was picked; `undefined` when none was. */
export async function withPicked(
  command: Command,
  parsed: Parsed,
  { io, output }: Surroundings,
): Promise<Parsed | undefined> {
  const { pickNext } = command
  if (parsed.operands.length > 0 && pickNext !== 'title') {
    throw new UsageError('--pick cannot be combined with a session')
  }
  rejectWithoutScreen({ io, output })
  const env = environmentOf(io)
  const store = openStore({ ...parsed, env }, () => {})
  const terminal = { io, colors: colorsOf({ has: parsed.has, io, output }) }
  const sessions = listWithProgress(command, parsed, { io, output })
  const picked = await pickSession(store, sessions, {
    terminal,
    hasActions: !parsed.has('dry-run'),
    asksTitle: pickNext === 'title' && parsed.operands.length === 0,
  })
  if (picked === undefined) return undefined
  const { id } = picked.choice
  const isMessageAsked = pickNext === 'message' && parsed.value('to') === undefined
  const message = isMessageAsked ? await pickMessage(store, id, terminal) : undefined
  if (isMessageAsked && message === undefined) return undefined
  const isChoosing = (name: string) => name === 'pick' || scopeOptions(command).includes(name)
  return {
    operands: [id, ...(picked.title === undefined ? parsed.operands : [picked.title])],
    value: (name) => {
      if (name === 'to' && message !== undefined) return message
      return isChoosing(name) ? undefined : parsed.value(name)
    },
    has: (name) => !isChoosing(name) && parsed.has(name),
  }
}

function rejectWithoutScreen({ io, output }: Pick<Surroundings, 'io' | 'output'>): void {
  if (io.stdin.isTTY !== true || !output.isTerminal) {
    throw new UsageError('--pick needs a terminal on stdin and stdout; name a session instead')
  }
  if (io.env['TERM'] === 'dumb') {
    throw new UsageError('--pick cannot draw on a terminal with TERM=dumb; name a session instead')
  }
}

interface PickSessionOptions {
  readonly terminal: Pick<Parameters<typeof pickInTerminal>[1], 'io' | 'colors'>
  readonly hasActions: boolean
  readonly asksTitle: boolean
}

function pickSession(
  store: StoreContext,
  sessions: readonly SessionInfo[],
  { terminal, hasActions, asksTitle }: PickSessionOptions,
): Promise<Picked | undefined> {
  const { env } = store
  const infos = new Map(sessions.map((session) => [session.sessionId, session]))
  const choices = sessions.map((session) => toSessionChoice(session, env.now()))
  const preview = previewer(env)
  const toNewChoice = (path: string) => {
    const info = readSessionInfo(store, path)
    if (isUnreadable(info)) return undefined
    infos.set(info.sessionId, info)
    return toSessionChoice(info, env.now())
  }
  return pickInTerminal(choices, {
    ...terminal,
    rules: { hasActions, asksTitle },
    preview: ({ id }) => preview(infos.get(id)!),
    act: pickActions(store, toNewChoice),
    prompts: readPrompts(env, choices, ({ id }) => infos.get(id)),
  })
}

/** The options that say which sessions are listed; of a command that has none, none. */
function scopeOptions({ options = [] }: Command): readonly string[] {
  return options.some(({ name }) => name === 'all') ? ['all', 'project'] : []
}

function listWithProgress(
  command: Command,
  parsed: Parsed,
  { io, output }: Pick<Surroundings, 'io' | 'output'>,
): SessionInfo[] {
  const notes = new Notes(io, { isQuiet: parsed.has('quiet'), isJson: parsed.has('json') })
  const reads = watchReads(environmentOf(io), { notes, output })
  try {
    return sessionsToPick(
      command,
      parsed,
      openStore({ ...parsed, env: reads.env }, () => {}),
    )
  } finally {
    reads.end()
  }
}

/** Those of this project; of all projects if it has none. */
function sessionsToPick(command: Command, parsed: Parsed, store: StoreContext): SessionInfo[] {
  const hasScope = scopeOptions(command).length > 0
  const given = hasScope ? parsed.value('project') : undefined
  const isAll = hasScope && parsed.has('all')
  const cwd = store.env.host.cwd()
  const scopes = isAll ? [undefined] : given === undefined ? [cwd, undefined] : [given]
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

function toSessionChoice(
  { sessionId, title, lastActivity, project, status }: SessionInfo,
  now: number,
): Choice {
  const about = [
    lastActivity === null ? [] : formatAge(lastActivity, now),
    project === null ? [] : toPlainText(basename(project)),
    status === 'clean' ? [] : status,
  ].flat()
  return toChoice({ id: sessionId, title: toPlainText(title ?? ''), about: about.join(', ') })
}
