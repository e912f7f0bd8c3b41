// Loads one of our files together with the code that V8 made of it the last time, as Python does
// with its `__pycache__`: compiling is a third of what a hook takes beyond the start of Node. The
// code stands beside the program, so whoever can change the one could change the other. Where that
// folder cannot be written, every start compiles again.

import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Script } from 'node:vm'

const STAMP_BYTES = 64

export interface Program<Exports> {
  readonly exports: Exports
  /** Keeps what was compiled since, for the next time. */
  keepCode(): void
}

interface Source {
  readonly path: string
  readonly text: string
  /** What the code was made from. V8 itself only compares lengths. */
  readonly stamp: string
  readonly codePath: string
}

export interface KeptCode {
  /** Each use of a program compiles other parts of it, and so has code of its own. */
  readonly use: string
  readonly folder: string
}

/** The program must not call `import()`: scripts that come with their code have none. */
export function loadProgram<Exports>(path: string, kept: KeptCode): Program<Exports> {
  const source = readSource(path, kept)
  const code = readCode(source)
  const script = compile(source, code)
  const exports = run(script, path) as Exports
  const keepCode = () => {
    // Code that fits the source and is refused all the same belongs to a Node with other flags.
    if (code === undefined) keep(source, script)
  }
  return { exports, keepCode }
}

function readSource(path: string, { use, folder }: KeptCode): Source {
  const { size, mtimeMs } = statSync(path)
  const codeName = `${basename(path)}-${use}-${process.version}-${process.arch}`
  return {
    path,
    text: readFileSync(path, 'latin1'),
    stamp: `${size} ${mtimeMs}`,
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
  const require = process.getBuiltinModule('node:module').createRequire(path)
  const module = { exports: {} }
  script.runInThisContext()(module.exports, require, module, path, dirname(path))
  return module.exports
}

function readCode({ codePath, stamp }: Source): Buffer | undefined {
  if (isSwitchedOff()) return undefined
  try {
    const bytes = readFileSync(codePath)
    const code = bytes.subarray(STAMP_BYTES)
    return bytes.toString('latin1', 0, STAMP_BYTES) === stampOf(stamp, code) ? code : undefined
  } catch {
    return undefined
  }
}

/** A half-written file must not be run: a power cut may leave one behind. */
function stampOf(source: string, code: Buffer): string {
  const { crc32 } = process.getBuiltinModule('node:zlib')
  return `${source} ${crc32(code)}`.padEnd(STAMP_BYTES)
}

function keep({ codePath, stamp }: Source, script: Script): void {
  if (isSwitchedOff()) return
  const ownPath = `${codePath}.${process.pid}`
  try {
    const code = script.createCachedData()
    mkdirSync(dirname(codePath), { recursive: true })
    writeFileSync(ownPath, Buffer.concat([Buffer.from(stampOf(stamp, code), 'latin1'), code]))
    renameSync(ownPath, codePath)
  } catch {
    // Somebody else's folder, or no room: the next start compiles again.
  }
}

/** The name that Node gives to the same wish. */
function isSwitchedOff(): boolean {
  return process.env['NODE_DISABLE_COMPILE_CACHE'] !== undefined
}
