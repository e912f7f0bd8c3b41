// What a command is: its name, operands and options, its help, and what it does with both streams.

import type { Writable } from 'node:stream'
import type { Summarizer } from '../compaction/index.js'
import type { Environment } from '../environment/index.js'
import type {
  CallForm,
  CallOptions,
  HookClientName,
  HooksStatus,
  SettingsChange,
  StoreContext,
  StoreOptions,
} from '../store/index.js'
import type { LaunchRequest } from './launch/launch.js'
import type { Notes } from './output/notes.js'
import type { Output } from './output/output.js'

/** What a command uses of its process. Tests and `bin/` pass it in. */
export type CliIo = Pick<
  NodeJS.Process,
  'stdin' | 'stdout' | 'stderr' | 'env' | 'cwd' | 'on' | 'once' | 'off'
>

/** Modules of the same layer, which `bin/` passes in. */
export interface CliModules {
  summarizers(): Promise<SummarizerModule>
  hookSettings(): Promise<HookSettingsModule>
  mcp(): Promise<McpModule>
  server(): Promise<ServerModule>
  /** Where the built viewer is, if it was built. */
  viewerFolder(): string
  hooks(): Promise<HookModule>
  /** Starts a program with a session that was resumed for it; returns its exit code. */
  launch(request: LaunchRequest): Promise<number>
  startPager(command: string, env: NodeJS.ProcessEnv): Pager
  /** How this command line was called, for settings that must call it again. */
  program(): { readonly node: string; readonly program: string }
}

/** Runs a program on this terminal, without a shell, and returns its exit code. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  options: {
    readonly env: NodeJS.ProcessEnv
    /** For its stdin; `undefined`: that of this process. */
    readonly input: string | undefined
    readonly io: CliIo
  },
) => Promise<number>

interface Pager {
  readonly stdin: Writable
  /** Resolves when the pager has ended. */
  readonly ended: Promise<void>
}

interface HookModule {
  /** Never rejects: problems go to `report`. */
  runHook(call: {
    readonly event?: string | undefined
    readonly client?: string | undefined
    readonly runtimePath?: string | undefined
    readonly store: StoreOptions
    readonly io: Pick<CliIo, 'stdin' | 'env' | 'cwd'>
    readonly stdinFd: number | undefined
    write(text: string): Promise<void>
    report(text: string): void
    readonly environment: Environment
  }): Promise<unknown>
}

interface HookSettingsModule {
  readonly HOOK_CLIENTS: readonly {
    readonly name: HookClientName
    readonly title: string
    /** How its settings may call the hook; the first one is the default. */
    readonly forms: readonly CallForm[]
    /** What its users must do before the hooks run. */
    readonly advice?: string
  }[]
  findSettingsPath(
    client: HookClientName,
    scope: 'user' | 'project',
    host: { cwd: string; home: string; env: NodeJS.ProcessEnv },
  ): string
  /** A word as a shell takes it. */
  quoteWord(word: string): string
  installHooks(
    store: StoreContext,
    path: string,
    call: CallOptions,
    client: HookClientName,
  ): SettingsChange
  uninstallHooks(store: StoreContext, path: string, client: HookClientName): SettingsChange
  readHooksStatus(
    store: StoreContext,
    path: string,
    searchPath: string | undefined,
    client: HookClientName,
  ): HooksStatus
}

interface SummarizerModule {
  summarizerFrom(name: string, env: NodeJS.ProcessEnv): Summarizer
}

interface McpModule {
  /** Resolves when the client has closed its end. */
  serveMcp(
    options: StoreOptions & {
      readonly io: Pick<CliIo, 'stdin' | 'stdout' | 'env' | 'cwd'>
      readonly onProblem: (text: string) => void
      readonly environment: Environment
    },
  ): Promise<void>
}

interface ServerModule {
  /** Resolves when the server listens. */
  serve(
    store: StoreContext,
    options: {
      readonly host?: string | undefined
      readonly port?: number | undefined
      readonly tokenFile?: string | undefined
      readonly allowedHosts?: readonly string[] | undefined
      readonly allowWrite?: boolean | undefined
      readonly allowSecrets?: boolean | undefined
      readonly transcriptRoots?: readonly string[] | undefined
      readonly rateLimit?: number | undefined
      readonly assets?: string | undefined
      readonly onProblem?: ((text: string) => void) | undefined
    },
  ): Promise<{
    readonly host: string
    readonly port: number
    readonly url: string
    readonly pageUrl: string
    readonly tokenFile: string
    close(): Promise<void>
  }>
}

export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string
  /** One letter, where people know it from other tools. */
  readonly short?: string
  /** The placeholder of the value in the help; an option without it is a switch. */
  readonly value?: string
  readonly text: string
  /** The words it takes. Completion offers them. */
  readonly values?: readonly string[]
  /** Other words are accepted as well; `values` are the usual ones. */
  readonly isOpen?: true
  /** It takes several values, separated by commas. */
  readonly isList?: true
  /** Only interactive, so the quick parser leaves it to commander. */
  readonly isForPeople?: true
  /** An earlier spelling that still works; no help and no completion shows it. */
  readonly isHidden?: true
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** In the notation of help pages: `<session>`, `[target...]`. */
  readonly operand?: string
  /** What it is; of several, one text for each. */
  readonly operandText?: string | readonly string[]
  /** What --pick asks for after the session, unless it is given: a title, or the message of --to. */
  readonly pickNext?: 'title' | 'message'
  /** Its sessions are those in the archive or the trash. */
  readonly retiredIn?: 'archive' | 'trash'
  readonly options?: readonly OptionSpec[]
  /** The end of the help: examples with their output, and exit codes. */
  readonly lesson: string
  /** Words like `-draft` are operands, unless they are options of the command. */
  readonly hasSignedOperands?: true
  /** Called by scripts for every event, so it must start without the help library. */
  readonly isHot?: true
  /** Called by a harness that takes another exit code for a veto: it always exits with 0. */
  readonly isHook?: true
  /** It runs until its client ends. */
  readonly isServer?: true
  /** The answer may be longer than a screen, so a terminal shows it in a pager. */
  readonly isPaged?: true
  run(call: Call): Promise<number>
}

export interface Parsed {
  readonly operands: readonly string[]
  /** The value of an option; `undefined` when it was not given. */
  value(name: string): string | undefined
  /** Whether a switch was given. */
  has(name: string): boolean
}

/** One use of a command, after parsing. */
export interface Call extends Parsed {
  readonly output: Output
  readonly notes: Notes
  readonly io: CliIo
  readonly modules: CliModules
  readonly env: Environment
  /** The store that the options name, opened on first use. It reports diagnostics as notes. */
  readonly store: StoreContext
}

/** What a parser found: strings for values, `true` for switches. */
export function toParsed(operands: readonly string[], found: ReadonlyMap<string, unknown>): Parsed {
  return {
    operands,
    value: (name) => {
      const value = found.get(name)
      return typeof value === 'string' ? value : undefined
    },
    has: (name) => found.get(name) === true,
  }
}

/** The command line was not understood. The message ends with a pointer to the help. */
export class UsageError extends Error {
  readonly code = 'ERR_ARG'
  readonly details: Readonly<Record<string, string | number>>

  constructor(message: string, details: Readonly<Record<string, string | number>> = {}) {
    super(message)
    this.details = details
  }
}

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'root',
    value: 'DIR',
    text: 'the store (default: $JSONL_SESSION_ROOT, else ~/.jsonl-session)',
  },
  {
    name: 'home',
    value: 'DIR',
    text: 'the prompt history (default: $JSONL_SESSION_HOME, else ~/.jsonl-session)',
  },
  { name: 'agent', value: 'ID', text: 'the agent namespace (default: "default")' },
  { name: 'json', text: 'print JSON; errors are JSON on stderr' },
  { name: 'no-color', text: 'print without colour, as with NO_COLOR or in a pipe' },
  { name: 'no-pager', text: 'do not use a pager' },
  { name: 'quiet', text: 'print nothing on stderr except errors' },
]

/** For commands that write: show what would happen. */
export const DRY_RUN: OptionSpec = {
  name: 'dry-run',
  text: 'show what would happen; write nothing',
}

/** For commands that take one session. */
export const PICK: OptionSpec = {
  name: 'pick',
  text: 'choose the session from a list: type to filter, Enter selects, Esc cancels',
  isForPeople: true,
}

/** For commands that remove or move things: they only show a plan without it. */
export const PLAN_OPTIONS: readonly OptionSpec[] = [
  { name: 'apply', text: 'carry out the plan; without it the plan is only shown' },
  { name: 'dry-run', text: 'show the plan, as without --apply' },
]
