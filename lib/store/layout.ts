// Where things lie. All paths of the store are built here and nowhere else.

import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import { fileNameOf } from '../format/index.js'

export interface StoreOptions {
  /**
   * The folder of transcripts, sidechains and checkpoints.
   *
   * @default JSONL_SESSION_ROOT, else ~/.jsonl-session
   */
  root?: string | undefined

  /**
   * The folder of the prompt history and of file checkpoints.
   *
   * @default JSONL_SESSION_HOME, else ~/.jsonl-session
   */
  home?: string | undefined

  /**
   * Whose sessions: equal ids of two agents are two sessions.
   *
   * @default 'default'
   */
  agent?: string | undefined
}

export interface Layout {
  readonly root: string
  readonly transcripts: string
  readonly sidechains: string
  /** Checkpoint records, one shard per project. */
  readonly checkpoints: string
  /** What was dropped by a command, one line each. */
  readonly retentionPath: string
  /** Which projects moved; one for all agents, since folders move for all of them. */
  readonly relocationsPath: string
  /** Which runtime path speaks for a session; short-lived. */
  readonly claims: string
  /** Events that wait for the writer of their session. */
  readonly spool: string
  /** Contents of files as they were, one folder per session. */
  readonly fileHistory: string
  /** Sessions that were put away, and what belongs to them. */
  readonly archive: RetiredPlace
  readonly trash: RetiredPlace
  /** Copies of imported files, each named by the SHA-256 of its bytes. */
  readonly imports: string
  /** One for all projects and agents of this user. */
  readonly home: string
  readonly historyPath: string
  /** When the history was last swept. */
  readonly historySweepPath: string
  transcriptPath(sessionId: string): string
  /** With a session: the name a task of it gets when a child of another session has the plain one. */
  sidechainPath(taskId: string, sessionId?: string): string
  /** As it is told in logs: from the root, with slashes, so that a store can be moved. */
  pathInStore(path: string): string
  claimPath(sessionId: string): string
  fileHistoryOf(sessionId: string): string
}

/** The same folders as those of the store, where nobody looks for sessions. */
export interface RetiredPlace {
  readonly transcripts: string
  readonly sidechains: string
  readonly fileHistory: string
}

export const DEFAULT_AGENT = 'default'
const FILE_HISTORY = 'file-history'

export function layoutOf(options: StoreOptions = {}): Layout {
  const { agent = DEFAULT_AGENT } = options
  const base = resolve(options.root ?? fromEnvironment('JSONL_SESSION_ROOT') ?? defaultFolder())
  const ofAgent = agent === DEFAULT_AGENT ? [] : ['agents', fileNameOf(agent)]
  const root = join(base, ...ofAgent)
  const home = resolve(options.home ?? fromEnvironment('JSONL_SESSION_HOME') ?? defaultFolder())
  const transcripts = join(root, '.transcripts')
  const sidechains = join(root, '.sidechains')
  const claims = join(root, '.claims')
  const agentHome = join(home, ...ofAgent)
  const fileHistory = join(agentHome, FILE_HISTORY)
  const retired = (name: string): RetiredPlace => ({
    transcripts: join(root, name, '.transcripts'),
    sidechains: join(root, name, '.sidechains'),
    // Beside the one in use, so that moving it is a rename even where home is another disk.
    fileHistory: join(agentHome, name, FILE_HISTORY),
  })
  return {
    root,
    transcripts,
    sidechains,
    checkpoints: join(root, '.checkpoints'),
    retentionPath: join(root, 'retention.jsonl'),
    relocationsPath: join(base, 'relocations.jsonl'),
    claims,
    spool: join(root, '.spool'),
    fileHistory,
    archive: retired('.archive'),
    trash: retired('.trash'),
    imports: join(root, '.imports'),
    home,
    historyPath: join(home, 'history.jsonl'),
    historySweepPath: join(home, 'history.sweep.json'),
    transcriptPath: (sessionId) => join(transcripts, `${fileNameOf(sessionId)}.jsonl`),
    sidechainPath: (taskId, sessionId) => join(sidechains, sidechainName(taskId, sessionId)),
    pathInStore: (path) => relative(root, path).split(sep).join('/'),
    claimPath: (sessionId) => join(claims, `${fileNameOf(sessionId)}.jsonl`),
    fileHistoryOf: (sessionId) => join(fileHistory, fileNameOf(sessionId)),
  }
}

function sidechainName(taskId: string, sessionId: string | undefined): string {
  const name = fileNameOf(taskId)
  if (sessionId === undefined) return `${name}.jsonl`
  const hash = createHash('sha256').update(sessionId).digest('hex').slice(0, 8)
  return `${name}--${hash}.jsonl`
}

function fromEnvironment(name: string): string | undefined {
  return process.env[name] || undefined
}

function defaultFolder(): string {
  return join(homedir(), '.jsonl-session')
}
