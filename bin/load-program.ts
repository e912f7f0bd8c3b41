// Loads one of our files together with the code that V8 compiled from it the last time: compiling
// takes a third of the time of a hook beyond the start of Node. Node 22.8 and later do this
// themselves. The code is executed, so it is kept in a folder of the user's cache that no other
// user can write, and a file is used only if it belongs to the user.

import {
  chmodSync,
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { Script } from 'node:vm'

const STAMP_BYTES = 96
const RUNS_DIGITS = 1
const WRITABLE_BY_OTHERS = 0o022

export interface Program<Exports> {
  readonly exports: Exports
  /** Keeps what was compiled since, for the next time. */
  keepCode(): void
}

export interface CodeCache {
  /** Each use of a program compiles other parts of it, and so has code of its own. */
  readonly use: string
  /** `undefined`: no cache. */
  readonly folder: string | undefined
  /**
   * How many of the first runs add what they compiled: the first one of an event is seldom a usual one.
   *
   * @default 1
   */
  readonly runs?: number
}

interface Source {
  readonly path: string
  readonly text: string
  /** What the code was made from. V8 itself only compares lengths. */
  readonly stamp: string
  readonly codePath: string
}

/**
 * The program is a script whose value is the function of a module, unless there is a `module`
 * already (see bundle.mjs). It must not call `import()`: scripts that come with their code do not
 * support it.
 */
export function loadProgram<Exports>(path: string, cache: CodeCache): Program<Exports> {
  const { folder, use, runs = 1 } = cache
  if (folder === undefined || !isPrivateFolder(folder)) {
    return { exports: createRequire(path)(path) as Exports, keepCode: () => {} }
  }
  if (enableNodeCache(folder)) {
    return { exports: createRequire(path)(path) as Exports, keepCode: () => {} }
  }
  const source = readSource(path, use, folder)
  const kept = readCode(source)
  const script = compile(source, kept?.code)
  const exports = run(script, path) as Exports
  const keepCode = () => {
    // Code that fits the source and is rejected all the same belongs to a Node with other flags.
    const { runsDone = 0 } = kept ?? {}
    if (runsDone < runs) keep(source, script, runsDone + 1)
  }
  return { exports, keepCode }
}

/** The folder for code of this program in the user's cache; `undefined` where it is switched off. */
export function findCodeFolder(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  // The name that Node gives to the same wish.
  if (env['NODE_DISABLE_COMPILE_CACHE'] !== undefined) return undefined
  const base = findCacheFolder(env, platform)
  return base !== undefined && isAbsolute(base) ? join(base, 'jsonl-session') : undefined
}

function findCacheFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined {
  if (platform === 'win32') return env['LOCALAPPDATA']
  const { XDG_CACHE_HOME, HOME } = env
  if (XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME
  if (HOME === undefined) return undefined
  return platform === 'darwin' ? join(HOME, 'Library', 'Caches') : join(HOME, '.cache')
}

/** Created if it is missing. A link, or a folder that others can write, is not used. */
function isPrivateFolder(folder: string): boolean {
  try {
    const stats = lstatSync(folder, { throwIfNoEntry: false }) ?? createFolder(folder)
    return stats.isDirectory() && isPrivate(stats)
  } catch {
    return false
  }
}

function createFolder(folder: string): Stats {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return lstatSync(folder)
}

function isPrivate({ uid, mode }: Stats): boolean {
  // Windows has no such modes; its folder is inside the user's profile.
  if (process.getuid === undefined) return true
  return uid === process.getuid() && (mode & WRITABLE_BY_OTHERS) === 0
}

/** Whether this Node keeps compiled code itself. */
function enableNodeCache(folder: string): boolean {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    enableCompileCache?: (folder: string) => unknown
  }
  if (enableCompileCache === undefined) return false
  enableCompileCache(join(folder, 'node'))
  return true
}

function readSource(path: string, use: string, folder: string): Source {
  const { bytes, stats } = readFile(path)
  const place = placeOf(path)
  const codeName = `${basename(path)}-${use}-${process.version}-${process.arch}-${place}`
  return {
    path,
    text: bytes.toString('latin1'),
    stamp: `${stats.size} ${stats.mtimeMs} ${place}`.padEnd(STAMP_BYTES - RUNS_DIGITS),
    codePath: join(folder, codeName),
  }
}

/** Distinguishes installations. */
function placeOf(path: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < path.length; index++) {
    hash = Math.imul(hash ^ path.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}

function compile({ path, text }: Source, cachedData: Buffer | undefined): Script {
  const { Script } = process.getBuiltinModule('node:vm')
  return new Script(text, { filename: path, ...(cachedData !== undefined && { cachedData }) })
}

type ModuleFunction = (
  exports: unknown,
  require: (name: string) => unknown,
  module: { exports: unknown },
  path: string,
  folder: string,
) => void

function run(script: Script, path: string): unknown {
  const module = { exports: {} }
  const define = script.runInThisContext() as ModuleFunction
  // A function that finds other files takes longer to make than most programs need it.
  const require = (name: string) => process.getBuiltinModule(name) ?? createRequire(path)(name)
  define(module.exports, require, module, path, dirname(path))
  return module.exports
}

function createRequire(path: string): NodeJS.Require {
  return process.getBuiltinModule('node:module').createRequire(path)
}

interface KeptCode {
  readonly code: Buffer
  /** How many runs compiled it. */
  readonly runsDone: number
}

/**
 * V8 runs changed code without a look, and ends the process by it. So the file holds the code twice:
 * to compare both takes a fraction of the time in which a checksum could be made.
 */
function readCode({ codePath, stamp }: Source): KeptCode | undefined {
  try {
    const { bytes, stats } = readFile(codePath)
    if (!stats.isFile() || !isPrivate(stats)) return undefined
    const middle = (bytes.length + STAMP_BYTES) / 2
    const code = bytes.subarray(STAMP_BYTES, middle)
    const head = bytes.toString('latin1', 0, STAMP_BYTES)
    const isMeant = code.length > 0 && head.startsWith(stamp)
    if (!isMeant || !code.equals(bytes.subarray(middle))) return undefined
    return { code, runsDone: Number(head.slice(-RUNS_DIGITS)) }
  } catch {
    return undefined
  }
}

function readFile(path: string): { readonly bytes: Buffer; readonly stats: Stats } {
  const fd = openSync(path, 'r')
  try {
    const stats = fstatSync(fd)
    const bytes = Buffer.allocUnsafeSlow(stats.size)
    const byteCount = readSync(fd, bytes, 0, stats.size, 0)
    return { bytes: bytes.subarray(0, byteCount), stats }
  } finally {
    closeSync(fd)
  }
}

function keep({ codePath, stamp }: Source, script: Script, runsDone: number): void {
  const ownPath = `${codePath}.${process.pid}`
  try {
    const code = script.createCachedData()
    const fd = openSync(ownPath, 'w', 0o600)
    try {
      const head = Buffer.from(stamp + runsDone, 'latin1')
      for (const bytes of [head, code, code]) writeSync(fd, bytes)
      // Before it gets its name: after a power cut there is all of it or none.
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    chmodSync(ownPath, 0o600)
    renameSync(ownPath, codePath)
  } catch {
    // No space, or no permission: the next start compiles again.
  }
}
