// Loads one of our files together with the code that V8 compiled from it the last time: compiling
// takes a third of the time of a hook beyond the start of Node. Node 22.8 and later do this
// themselves. The code is executed, so it is kept in a folder of the user's cache that no other
// user can write, and a file is used only if it belongs to the user.

import {
  chmodSync,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { Script } from 'node:vm'

const STAMP_BYTES = 96
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
}

interface Source {
  readonly path: string
  readonly text: string
  /** What the code was made from. V8 itself only compares lengths. */
  readonly stamp: string
  readonly codePath: string
}

/** The program must not call `import()`: scripts that come with their code do not support it. */
export function loadProgram<Exports>(path: string, cache: CodeCache): Program<Exports> {
  const { folder, use } = cache
  if (folder === undefined || !isPrivateFolder(folder)) {
    return { exports: createRequire(path)(path) as Exports, keepCode: () => {} }
  }
  if (enableNodeCache(folder)) {
    return { exports: createRequire(path)(path) as Exports, keepCode: () => {} }
  }
  const source = readSource(path, use, folder)
  const code = readCode(source)
  const script = compile(source, code)
  const exports = run(script, path) as Exports
  const keepCode = () => {
    // Code that fits the source and is rejected all the same belongs to a Node with other flags.
    if (code === undefined) keep(source, script)
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
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const stats = lstatSync(folder)
    return stats.isDirectory() && isPrivate(stats)
  } catch {
    return false
  }
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
  const { size, mtimeMs } = statSync(path)
  const place = crc32(path).toString(16).padStart(8, '0')
  const codeName = `${basename(path)}-${use}-${process.version}-${process.arch}-${place}`
  return {
    path,
    text: readFileSync(path, 'latin1'),
    stamp: `${size} ${mtimeMs} ${place}`,
    codePath: join(folder, codeName),
  }
}

function compile({ path, text }: Source, cachedData: Buffer | undefined): Script {
  const { Script } = process.getBuiltinModule('node:vm')
  return new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    filename: path,
    ...(cachedData !== undefined && { cachedData }),
  })
}

function run(script: Script, path: string): unknown {
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path))
  return module.exports
}

function createRequire(path: string): NodeJS.Require {
  return process.getBuiltinModule('node:module').createRequire(path)
}

function readCode({ codePath, stamp }: Source): Buffer | undefined {
  try {
    const fd = openSync(codePath, 'r')
    try {
      const stats = fstatSync(fd)
      if (!stats.isFile() || !isPrivate(stats)) return undefined
      const bytes = readFileSync(fd)
      const code = bytes.subarray(STAMP_BYTES)
      return bytes.toString('latin1', 0, STAMP_BYTES) === toStamp(stamp, code) ? code : undefined
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}

/** With a checksum: a power cut may leave a half-written file, which must not be run. */
function toStamp(source: string, code: Buffer): string {
  return `${source} ${crc32(code)}`.padEnd(STAMP_BYTES)
}

function crc32(data: string | Buffer): number {
  return process.getBuiltinModule('node:zlib').crc32(data)
}

function keep({ codePath, stamp }: Source, script: Script): void {
  const ownPath = `${codePath}.${process.pid}`
  try {
    const code = script.createCachedData()
    const bytes = Buffer.concat([Buffer.from(toStamp(stamp, code), 'latin1'), code])
    writeFileSync(ownPath, bytes, { mode: 0o600 })
    chmodSync(ownPath, 0o600)
    renameSync(ownPath, codePath)
  } catch {
    // No space, or no permission: the next start compiles again.
  }
}
