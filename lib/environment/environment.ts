// Everything the library takes from the world around it: files, time, timers, randomness and the
// process. No other module of lib/ calls these directly, so a test or a simulator can replace them.

import type fs from 'node:fs'

/** The calls of `node:fs` that the library uses, with the same names and meanings. */
export interface FileSystem extends OtherCalls {
  writeSync(fd: number, bytes: Buffer, start: number, length: number): number
  statSync(path: string, options: { throwIfNoEntry: false }): fs.Stats | undefined
  statSync(path: string): fs.Stats
  fdatasyncSync(fd: number): void
  fdatasync(fd: number, done: (error: Error | null) => void): void
}

type OtherCalls = Pick<
  typeof fs,
  | 'accessSync'
  | 'chmodSync'
  | 'closeSync'
  | 'constants'
  | 'existsSync'
  | 'fchmodSync'
  | 'fstatSync'
  | 'fsyncSync'
  | 'linkSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'openSync'
  | 'read'
  | 'readFileSync'
  | 'readdirSync'
  | 'readlinkSync'
  | 'readSync'
  | 'realpathSync'
  | 'renameSync'
  | 'rmSync'
  | 'rmdirSync'
  | 'unlinkSync'
  | 'utimesSync'
  | 'writeFileSync'
>

/** A handle of `setTimeout` or `setInterval`; `unref` lets the process end before it fires. */
export interface Timer {
  unref(): void
}

export interface Timers {
  setTimeout(callback: () => void, ms: number): Timer
  clearTimeout(timer: Timer | undefined): void
  setInterval(callback: () => void, ms: number): Timer
  clearInterval(timer: Timer | undefined): void
  /** Resolves after that many milliseconds. */
  sleep(ms: number): Promise<void>
  /** Blocks the thread. */
  sleepSync(ms: number): void
}

/** The process that runs the library, and the machine it runs on. */
export interface Host {
  readonly pid: number
  readonly ppid: number
  readonly platform: NodeJS.Platform
  readonly variables: Readonly<Record<string, string | undefined>>
  /**
   * The clock that file times are set by, in milliseconds since the epoch. Locks are aged by it: a
   * caller may replace `Environment.now`, which gives records their time, without harm to them.
   */
  clock(): number
  cwd(): string
  homedir(): string
  tmpdir(): string
  hostname(): string
  /** As `process.kill`: signal 0 asks whether the process is there. */
  kill(pid: number, signal: NodeJS.Signals | 0): void
  /** Calls the listener before others, when the process ends; returns how to take it back. */
  onExit(listener: () => void): () => void
  /** Calls the listener when the signal arrives; returns how to take it back. */
  onSignal(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): () => void
  /** As `process.emitWarning`. */
  emitWarning(warning: Error): void
  /** How many listeners the process has for the signal. */
  signalListenerCount(signal: NodeJS.Signals): number
}

export interface WatchOptions {
  /** Whether changes of this path are to be reported. */
  isWatched(path: string): boolean
  onChange(path: string): void
  /** Called once, when every later change will be reported. */
  onReady(): void
}

export interface FolderWatch {
  close(): Promise<void>
}

export interface Environment {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds of a clock that is never set back, for durations. */
  monotonicNow(): number
  newUuid(): string
  /** A name that no other file has; unlike a uuid it is never recorded. */
  newToken(): string
  /** From 0 up to 1, for delays. */
  random(): number
  /** Reports changes in a folder, which may be missing, late or repeated. Rejects if it cannot. */
  watchFolder(folder: string, options: WatchOptions): Promise<FolderWatch>
  readonly fs: FileSystem
  readonly timers: Timers
  readonly host: Host
}

/** What a caller replaces of an environment; everything else is the system's. */
export interface EnvironmentOverrides extends Partial<Omit<Environment, 'fs' | 'timers' | 'host'>> {
  readonly fs?: Partial<FileSystem> | undefined
  readonly timers?: Partial<Timers> | undefined
  readonly host?: Partial<Host> | undefined
}
