// What a command is: how it is called, what its help teaches, and what it does with both streams.

import type { Summarizer } from '../compaction/index.js'
import type { StoreOptions } from '../store/index.js'
import type { HookSettingsRoom } from './hook-settings-room.js'
import type { Notes } from './notes.js'
import type { Output } from './output.js'

/** What a command may touch of its process. Tests and `bin/` hand it in. */
export type CliIo = Pick<
  NodeJS.Process,
  'stdin' | 'stdout' | 'stderr' | 'env' | 'cwd' | 'on' | 'once' | 'off'
>

/** Rooms beside this one, which `bin/` hands in: no room reaches for another of its own floor. */
export interface CliRooms {
  summarizers(): Promise<SummarizerRoom>
  hookSettings(): Promise<HookSettingsRoom>
  mcp(): Promise<McpRoom>
  /** How this very command line is called, for those who write it down. */
  program(): { readonly node: string; readonly program: string }
  hooks(): Promise<HookRoom>
}

interface HookRoom {
  /** Never rejects: what goes wrong is told. */
  runHook(call: {
    readonly event?: string | undefined
    readonly runtimePath?: string | undefined
    readonly store: StoreOptions
    readonly io: Pick<CliIo, 'stdin' | 'env' | 'cwd'>
    readonly stdinFd: number | undefined
    write(text: string): Promise<void>
    tell(text: string): void
  }): Promise<unknown>
}

interface SummarizerRoom {
  summarizerFrom(name: string, env: NodeJS.ProcessEnv): Summarizer
}

interface McpRoom {
  /** Resolves when the client has gone. */
  serveMcp(options: McpOptions): Promise<void>
}

export interface McpOptions extends StoreOptions {
  readonly io: Pick<CliIo, 'stdin' | 'stdout' | 'env' | 'cwd'>
  readonly onProblem: (text: string) => void
}

export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string
  /** One letter, for those whom people know by it from other tools. */
  readonly short?: string
  /** How the help calls the value; an option without it is a switch. */
  readonly value?: string
  readonly text: string
  /** Only people give it, so the quick parser leaves it to the whole command line. */
  readonly isForPeople?: true
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** In the notation of help pages: `<session>`, `[target...]`; empty for none. */
  readonly operand: string
  /** What it is; of several, one text for each. */
  readonly operandText: string | readonly string[]
  readonly options: readonly OptionSpec[]
  /** Ends the help: examples with their output, and what the exit code says. */
  readonly lesson: string
  /** Called by scripts for every event, so it must start without the help library. */
  readonly isHot?: true
  /** Called by a harness that takes any other exit code for a veto: it answers 0 whatever happens. */
  readonly isHook?: true
  /** Its answer may be longer than a screen, and is read in a pager on a terminal. */
  readonly isPaged?: true
  run(call: Call): Promise<number>
}

/** One use of a command, after parsing. */
export interface Call {
  readonly operands: readonly string[]
  /** The value of an option; `undefined` when it was not given. */
  value(name: string): string | undefined
  /** Whether a switch was given. */
  has(name: string): boolean
  readonly output: Output
  readonly notes: Notes
  readonly io: CliIo
  readonly rooms: CliRooms
}

export type Parsed = Pick<Call, 'operands' | 'value' | 'has'>

/** What a parser found: strings for values, `true` for switches. */
export function parsedOf(operands: readonly string[], found: ReadonlyMap<string, unknown>): Parsed {
  return {
    operands,
    value: (name) => {
      const value = found.get(name)
      return typeof value === 'string' ? value : undefined
    },
    has: (name) => found.get(name) === true,
  }
}

/** The command line was not understood. Its message needs no remedy: the help is one. */
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
  { name: 'agent', value: 'ID', text: 'whose sessions (default: "default")' },
  { name: 'json', text: 'print JSON for programs; errors are JSON on stderr then' },
  { name: 'no-color', text: 'print without colour, as NO_COLOR and pipes do' },
  { name: 'no-pager', text: 'print at once, also what is longer than the screen' },
  { name: 'quiet', text: 'print no words on stderr but errors' },
]
