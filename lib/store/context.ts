// What every function of this module and of the layers above needs to know, resolved once.

import { createHash } from 'node:crypto'
import { dirname, join, relative, resolve, sep } from 'node:path'
import {
  type Environment,
  type EnvironmentOverrides,
  environmentFrom,
  type Host,
} from '../environment/index.js'
import { SessionError } from '../errors.js'
import { type Diagnostic, fileNameOf } from '../format/index.js'
import type { LogOptions } from '../log/index.js'
import { toReporter } from '../log/internal.js'
import { NO_CONFIG, readConfig, type StoreConfig } from './config.js'

export interface ContextOptions extends StoreOptions {
  /**
   * How long to wait for another process that holds a lock for one append.
   *
   * @default JSONL_SESSION_LOCK_TIMEOUT_MS, else 5000
   */
  lockTimeoutMs?: number | undefined

  /**
   * Use the kernel lock of the optional addon where it is available. `false` uses the portable lock
   * alone, as without the addon: two writers may then fork the chain, and no line is lost by that.
   *
   * @default true
   */
  useKernelLock?: boolean | undefined

  /**
   * Called with everything that was tolerated, never while a line is being written.
   *
   * @default none
   */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined

  /**
   * Called with what another listener threw or rejected with: `onDiagnostic`, `onAppend`,
   * `onCompacted` and others. Nothing fails because of a listener.
   *
   * @default a diagnostic `listener_failed`; without `onDiagnostic`, or if that fails, a warning of
   * the process
   */
  onListenerError?: ((error: unknown) => void) | undefined

  /**
   * Apply the settings of `config.json` in root and home, as the commands, the hooks and the MCP
   * server do. What a call passes takes precedence.
   *
   * @default false
   */
  readConfig?: boolean | undefined

  /**
   * Replaces files, clock, timers, ids or the process, for tests and simulators.
   *
   * @default the system's
   */
  environment?: EnvironmentOverrides | undefined
}

/** A store as functions see it: paths, agent, environment, locks and diagnostics. */
export interface StoreContext {
  readonly layout: Layout
  readonly agent: string
  readonly env: Environment
  /** For every log that is opened in this store. */
  readonly logOptions: Pick<
    LogOptions,
    'lockTimeoutMs' | 'useKernelLock' | 'onDiagnostic' | 'onListenerError' | 'environment'
  >
  readonly report: (diagnostic: Diagnostic) => void
  /** The settings of `config.json`, read at the first call; none unless the context was asked for them. */
  readonly config: () => StoreConfig
}

export function openContext(options: ContextOptions = {}): StoreContext {
  const { lockTimeoutMs, useKernelLock, onDiagnostic, onListenerError } = options
  const env = environmentFrom(options.environment)
  let config = options.readConfig === true ? undefined : NO_CONFIG
  const store: StoreContext = {
    layout: layoutOf(options, env.host),
    agent: options.agent ?? DEFAULT_AGENT,
    env,
    logOptions: {
      lockTimeoutMs,
      useKernelLock,
      onDiagnostic,
      onListenerError,
      environment: env,
    },
    report: toReporter(options, env.host),
    config: () => {
      if (config !== undefined) return config
      config = readConfig(store)
      for (const problem of config.problems) store.report(problem)
      return config
    },
  }
  return store
}

/** The same store as another agent sees it. */
export function forAgent(store: StoreContext, agent: string): StoreContext {
  if (agent === store.agent) return store
  const { home, rootConfigPath } = store.layout
  const layout = layoutOf({ root: dirname(rootConfigPath), home, agent }, store.env.host)
  return { ...store, layout, agent }
}

// All paths of a store, built here and nowhere else.

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

export type Layout = Readonly<ReturnType<typeof layoutOf>>

/** The folders of archived or trashed sessions, which listings do not read. */
export type RetiredLayout = Layout['archive']

export const DEFAULT_AGENT = 'default'
const FILE_HISTORY = 'file-history'
const CONFIG = 'config.json'

/** Without a home folder the store would be a relative path, and so in the current folder. */
function findUserHome(homedir: Host['homedir']): string {
  const home = homedir()
  if (home !== '') return home
  throw new SessionError('ERR_ARG', 'The home folder is unknown: set HOME, or name a store (root)')
}

export function layoutOf(options: StoreOptions = {}, { variables, homedir }: Host) {
  const { agent = DEFAULT_AGENT } = options
  const byDefault = () => join(findUserHome(homedir), '.jsonl-session')
  // An empty variable counts as unset.
  const base = resolve(options.root ?? (variables['JSONL_SESSION_ROOT'] || byDefault()))
  const ofAgent = agent === DEFAULT_AGENT ? [] : ['agents', fileNameOf(agent)]
  const root = join(base, ...ofAgent)
  const home = resolve(options.home ?? (variables['JSONL_SESSION_HOME'] || byDefault()))
  const transcripts = join(root, '.transcripts')
  const sidechains = join(root, '.sidechains')
  const claims = join(root, '.claims')
  const agentHome = join(home, ...ofAgent)
  const fileHistory = join(agentHome, FILE_HISTORY)
  const retired = (name: string) => ({
    transcripts: join(root, name, '.transcripts'),
    sidechains: join(root, name, '.sidechains'),
    // In the home, so that moving a session's files is a rename even where home is another disk.
    fileHistory: join(agentHome, name, FILE_HISTORY),
  })
  return {
    root,
    transcripts,
    sidechains,
    /** Checkpoint records, one shard per project. */
    checkpoints: join(root, '.checkpoints'),
    /** What commands removed, one line each. */
    retentionPath: join(root, 'retention.jsonl'),
    /** Settings; one for all agents. */
    rootConfigPath: join(base, CONFIG),
    homeConfigPath: join(home, CONFIG),
    /** Which projects moved; one for all agents, since folders move for all of them. */
    relocationsPath: join(base, 'relocations.jsonl'),
    /** Which runtime path records a session; short-lived. */
    claims,
    /** What is derived from logs and may be deleted at any time. */
    cache: join(root, '.cache'),
    /** Events that wait for the process that writes their session. */
    spool: join(root, '.spool'),
    /** Spooled events that their session's log does not accept, with the reasons. */
    refused: join(root, '.spool', 'refused'),
    /** Contents of files as they were, one folder per session. */
    fileHistory,
    archive: retired('.archive'),
    trash: retired('.trash'),
    /** Copies of imported files, each named by the SHA-256 of its bytes. */
    imports: join(root, '.imports'),
    /** One for all projects and agents of this user. */
    home,
    historyPath: join(home, 'history.jsonl'),
    /** When the history was last swept. */
    historySweepPath: join(home, 'history.sweep.json'),
    transcriptPath: (sessionId: string) => join(transcripts, `${fileNameOf(sessionId)}.jsonl`),
    /** With a session: the name for a task whose plain name is taken by another session's task. */
    sidechainPath: (taskId: string, sessionId?: string) =>
      join(sidechains, sidechainName(taskId, sessionId)),
    /** As logs record it: relative to the root, with slashes, so that a store can be moved. */
    pathInStore: (path: string) => relative(root, path).split(sep).join('/'),
    claimPath: (sessionId: string) => join(claims, `${fileNameOf(sessionId)}.jsonl`),
    fileHistoryOf: (sessionId: string) => join(fileHistory, fileNameOf(sessionId)),
  }
}

function sidechainName(taskId: string, sessionId: string | undefined): string {
  const name = fileNameOf(taskId)
  if (sessionId === undefined) return `${name}.jsonl`
  const hash = createHash('sha256').update(sessionId).digest('hex').slice(0, 8)
  return `${name}--${hash}.jsonl`
}

/** The working directory; `undefined` when it was removed, as worktrees of agents are. */
export function workingFolder({ cwd }: { readonly cwd: () => string }): string | undefined {
  try {
    return cwd()
  } catch {
    return undefined
  }
}
