// The prompts of all sessions, read back. Reading never writes and never locks.

import { SessionError } from '../errors.js'
import { normalizeSessionKey } from '../format/index.js'
import { type HistoryEntry, historyEntryOf } from './history-entry.js'
import { readHistoryBackward, readHistoryForward } from './history-lines.js'
import { type RetentionOptions, retainedSince } from './history-options.js'
import { layoutOf } from './layout.js'
import { normalizeProject } from './project.js'

const LIMIT_DEFAULT = 50

interface LimitOptions {
  /**
   * At most so many; `Infinity` for all.
   *
   * @default 50
   */
  limit?: number | undefined
}

export interface ReadHistoryOptions extends RetentionOptions, LimitOptions {
  /**
   * Newest first, read from the end; else oldest first.
   *
   * @default true
   */
  reverse?: boolean | undefined
  /** Only prompts of this session. */
  session_id?: string | undefined
  /** Only prompts of this project, in any spelling. */
  project?: string | undefined
  /** The prompts of this session come before those of all others. */
  sessionFirst?: string | undefined
}

/** Every prompt that was recorded, repeated ones too; none when there is no history yet. */
export async function read_history(options: ReadHistoryOptions = {}): Promise<HistoryEntry[]> {
  const limit = limitOf(options)
  const first = keyOf(options.sessionFirst)
  const own: HistoryEntry[] = []
  const others: HistoryEntry[] = []
  if (limit === 0) return []
  for await (const entry of entriesOf(options)) {
    if (first !== undefined && entry.session_id === first) own.push(entry)
    else if (others.length < limit) others.push(entry)
    // While some of the first session may still come, the others must wait.
    if ((first === undefined ? others : own).length === limit) break
  }
  return [...own, ...others].slice(0, limit)
}

export type HistoryScope = 'session' | 'project' | 'global'

export interface RecallHistoryOptions extends RetentionOptions, LimitOptions {
  /** @default 'project' */
  scope?: HistoryScope | undefined
  /** The session of scope `session`. */
  session_id?: string | undefined
  /**
   * The project of scope `project`.
   *
   * @default the working directory
   */
  project?: string | undefined
}

/** What the up-arrow shows: newest first, and a prompt that was given again and again only once. */
export async function recallHistory(options: RecallHistoryOptions = {}): Promise<HistoryEntry[]> {
  const limit = limitOf(options)
  const filter = filterOf(options)
  const entries: HistoryEntry[] = []
  if (limit === 0) return entries
  for await (const entry of entriesOf({ ...options, ...filter, reverse: true })) {
    if (entries.at(-1)?.prompt !== entry.prompt) entries.push(entry)
    if (entries.length === limit) break
  }
  return entries
}

function filterOf({ scope = 'project', session_id, project }: RecallHistoryOptions) {
  if (scope === 'global') return { session_id: undefined, project: undefined }
  if (scope === 'project') return { session_id: undefined, project: project ?? process.cwd() }
  if (scope !== 'session') {
    throw new SessionError('ERR_ARG', `scope is session, project or global, not "${scope}"`)
  }
  if (session_id === undefined) {
    throw new SessionError('ERR_ARG', 'The scope "session" needs a session_id')
  }
  return { session_id, project: undefined }
}

/** All entries that are wanted, in the order asked for. */
async function* entriesOf(options: ReadHistoryOptions): AsyncGenerator<HistoryEntry> {
  const { reverse = true, onDiagnostic } = options
  const { historyPath } = layoutOf(options)
  const sessionId = keyOf(options.session_id)
  const project = options.project === undefined ? undefined : normalizeProject(options.project)
  const since = retainedSince(options)
  const read = reverse ? readHistoryBackward : readHistoryForward
  for await (const { entry, file } of read(historyPath)) {
    const line = historyEntryOf(entry, file, onDiagnostic)
    if (line === undefined) continue
    if (sessionId !== undefined && line.session_id !== sessionId) continue
    if (project !== undefined && line.project !== project) continue
    // What tells no time is not older than anything.
    if (since !== undefined && Date.parse(line.ts) < since) continue
    yield line
  }
}

function keyOf(sessionId: string | undefined): string | undefined {
  return sessionId === undefined ? undefined : normalizeSessionKey(sessionId)
}

function limitOf({ limit = LIMIT_DEFAULT }: LimitOptions): number {
  if (typeof limit !== 'number') throw new TypeError('limit must be a number')
  if (limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit >= 0)) {
    return limit
  }
  throw new SessionError('ERR_ARG', `limit must be a whole number from 0, not ${limit}`)
}
