// Reads the prompts of all sessions. Reading never writes and never locks.

import { SessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import {
  type LogEntry,
  openIfThere,
  type ReadLogOptions,
  readLog,
  readLogBackward,
  readLogBackwardSync,
} from '../../log/index.js'
import { checkLimit } from '../check-options.js'
import type { StoreContext } from '../context.js'
import { normalizeProject } from '../projects/normalize-project.js'
import {
  type HistoryEntry,
  type HistoryFile,
  openNewest,
  openOlder,
  parseHistoryEntry,
} from './files.js'
import { type HistoryRetentionOptions, retainedSince } from './retention.js'

const LIMIT_DEFAULT = 50
const LAST_PROMPT_BYTES = 64 * 1024
const BARE: ReadLogOptions = { bare: true }

interface LimitOptions {
  /**
   * The maximum number of entries; `Infinity` for all.
   *
   * @default 50
   */
  limit?: number | undefined
}

export interface ReadHistoryOptions extends HistoryRetentionOptions, LimitOptions {
  /**
   * `desc`: newest first, read from the end.
   *
   * @default 'desc'
   */
  order?: 'asc' | 'desc' | undefined
  /**
   * Only prompts of this session.
   *
   * @default every session
   */
  sessionId?: string | undefined
  /**
   * Only prompts of this project, in any spelling.
   *
   * @default every project
   */
  project?: string | undefined
}

/** Every recorded prompt, including repeated ones; none when there is no history yet. */
export async function readHistory(
  store: StoreContext,
  options: ReadHistoryOptions = {},
): Promise<HistoryEntry[]> {
  const { limit = LIMIT_DEFAULT } = options
  checkLimit(limit)
  const entries: HistoryEntry[] = []
  if (limit === 0) return entries
  for await (const entry of readEntries(store, options)) {
    entries.push(entry)
    if (entries.length === limit) break
  }
  return entries
}

export type HistoryScope = 'session' | 'project' | 'global'

export interface RecallHistoryOptions extends HistoryRetentionOptions, LimitOptions {
  /**
   * Whose prompts: of one session, of one project or of all.
   *
   * @default 'project'
   */
  scope?: HistoryScope | undefined
  /**
   * The session of scope `session`.
   *
   * @default none
   */
  sessionId?: string | undefined
  /**
   * The project of scope `project`.
   *
   * @default the working directory
   */
  project?: string | undefined
}

/** What the up-arrow shows: newest first; a prompt repeated directly after itself appears once. */
export async function recallHistory(
  store: StoreContext,
  options: RecallHistoryOptions = {},
): Promise<HistoryEntry[]> {
  const { limit = LIMIT_DEFAULT } = options
  checkLimit(limit)
  const { retainDays } = options
  const filter = toFilter(store, options)
  const entries: HistoryEntry[] = []
  if (limit === 0) return entries
  for await (const entry of readEntries(store, { retainDays, ...filter })) {
    if (entries.at(-1)?.prompt !== entry.prompt) entries.push(entry)
    if (entries.length === limit) break
  }
  return entries
}

/**
 * The offset of the newest prompt of a session in the last 64 KiB of the live history, or `null`.
 * Only the live file: an offset alone cannot name another one.
 */
export function lastHistoryOffset(store: StoreContext, sessionId: string): number | null {
  const live = openIfThere(store.layout.historyPath, store.env)
  if (live === undefined) return null
  const id = normalizeSessionKey(sessionId)
  const from = Math.max(0, live.size - LAST_PROMPT_BYTES)
  try {
    for (const entry of readLogBackwardSync(live, { from, bare: true })) {
      const line = parseHistoryEntry(entry, live.path)
      if (line?.sessionId === id) return line.offset
    }
    return null
  } finally {
    store.env.fs.closeSync(live.fd)
  }
}

const RECENT_PROMPTS_BYTES = 256 * 1024

// However old they are: a session may work for hours after its last prompt.
const RECENT_PROMPTS_LEAST = 100

/**
 * The prompts of the last `withinMs`, and of those before them so many that there are 100, newest first, as far
 * as the last 256 KiB of a file have them.
 */
export function listRecentPrompts(store: StoreContext, withinMs: number): HistoryEntry[] {
  const since = store.env.now() - withinMs
  const found: HistoryEntry[] = []
  let file = openNewest(store)
  while (file !== undefined) {
    const from = Math.max(0, file.size - RECENT_PROMPTS_BYTES)
    let isOver = from > 0
    for (const entry of readLogBackwardSync(file, { from, bare: true })) {
      const line = parseHistoryEntry(entry, file.path)
      if (line === undefined) continue
      if (Date.parse(line.ts) < since && found.length >= RECENT_PROMPTS_LEAST) {
        isOver = true
        break
      }
      found.push(line)
    }
    const older = isOver ? undefined : openOlder(store, file)
    store.env.fs.closeSync(file.fd)
    file = older
  }
  return found
}

function toFilter(
  { env }: StoreContext,
  { scope = 'project', sessionId, project = env.host.cwd() }: RecallHistoryOptions,
): Pick<ReadHistoryOptions, 'sessionId' | 'project'> {
  if (scope === 'global') return {}
  if (scope === 'project') return { project }
  if (scope !== 'session') {
    throw new SessionError('ERR_ARG', `scope must be session, project or global, not "${scope}"`)
  }
  if (sessionId === undefined) {
    throw new SessionError('ERR_ARG', 'The scope "session" needs a sessionId')
  }
  return { sessionId }
}

async function* readEntries(
  store: StoreContext,
  { order = 'desc', sessionId, project, ...retention }: ReadHistoryOptions,
): AsyncGenerator<HistoryEntry> {
  const key = sessionId === undefined ? undefined : normalizeSessionKey(sessionId)
  const folder = project === undefined ? undefined : normalizeProject(store, project)
  const since = retainedSince(store, retention)
  const lines = order === 'desc' ? readLinesBackward(store) : readLinesForward(store)
  for await (const { entry, file } of lines) {
    const line = parseHistoryEntry(entry, file, (finding) => store.report(finding))
    if (line === undefined) continue
    if (key !== undefined && line.sessionId !== key) continue
    if (folder !== undefined && line.project !== folder) continue
    // A line without a time is never too old.
    if (since !== undefined && Date.parse(line.ts) < since) continue
    yield line
  }
}

interface HistoryLine {
  readonly entry: LogEntry
  readonly file: string
}

/**
 * Newest first. A file is opened only when the newer ones are finished, so the last prompts of a
 * gigabyte cost what they cost in a short history. Lines written after the start are not read.
 */
async function* readLinesBackward(store: StoreContext): AsyncGenerator<HistoryLine> {
  const { fs } = store.env
  let file = openNewest(store)
  try {
    while (file !== undefined) {
      for await (const entry of readLogBackward(file, BARE)) yield { entry, file: file.path }
      const older = openOlder(store, file)
      fs.closeSync(file.fd)
      file = older
    }
  } finally {
    if (file !== undefined) fs.closeSync(file.fd)
  }
}

/** Oldest first. All files are opened first, because the oldest is found by way of the others. */
async function* readLinesForward(store: StoreContext): AsyncGenerator<HistoryLine> {
  const files: HistoryFile[] = []
  try {
    for (let file = openNewest(store); file !== undefined; file = openOlder(store, file)) {
      files.push(file)
    }
    for (const file of files.toReversed()) {
      for await (const entry of readLog(file, BARE)) yield { entry, file: file.path }
    }
  } finally {
    for (const { fd } of files) store.env.fs.closeSync(fd)
  }
}
