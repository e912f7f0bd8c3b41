// Every call by which this process touches the files of one folder, told to somebody who may let it
// fail. It replaces the functions of node:fs themselves, so nothing in the library has to know, and
// no room can go round it.

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { resolve, sep } from 'node:path'

export interface FileCall {
  readonly name: string
  readonly path: string
  /** Where a file is moved or linked to. */
  readonly to?: string | undefined
  /** Of a write: what is to be written. */
  readonly bytes?: Buffer | undefined
}

export interface FileFault {
  /** Without one the call does not throw; a write then says how little it took. */
  readonly code?: string
  readonly errno?: number
  /** Of a write: how many bytes are taken, before the error if there is one. */
  readonly takes?: number
}

export interface FileWatcher {
  /** A fault instead of the call. */
  before?(call: FileCall): FileFault | undefined
  /** Told of calls that did not fail; `result` is what the caller gets. */
  after?(call: FileCall, result: unknown): void
}

const BY_PATH = [
  'openSync',
  'mkdirSync',
  'rmdirSync',
  'rmSync',
  'unlinkSync',
  'renameSync',
  'linkSync',
  'statSync',
  'lstatSync',
  'readdirSync',
  'readFileSync',
  'utimesSync',
  'chmodSync',
  'accessSync',
] as const
// No closeSync: whatever it answers, the descriptor is gone.
const BY_DESCRIPTOR = [
  'writeSync',
  'readSync',
  'fstatSync',
  'fsyncSync',
  'fdatasyncSync',
  'fchmodSync',
] as const

type AnyCall = (...args: unknown[]) => unknown
const table = fs as unknown as Record<string, AnyCall>

/** Until the answer is called. One watcher at a time: the functions belong to the whole process. */
export function watchFiles(folder: string, watcher: FileWatcher): () => void {
  const watch = new Watch(folder, watcher)
  for (const name of BY_PATH) watch.replace(name, (real) => watch.byPath(name, real))
  for (const name of BY_DESCRIPTOR) watch.replace(name, (real) => watch.byDescriptor(name, real))
  watch.replace('fdatasync', (real) => watch.sync(real))
  watch.replace('closeSync', (real) => watch.close(real))
  syncBuiltinESMExports()
  return () => watch.end()
}

class Watch {
  readonly #folder: string
  readonly #watcher: FileWatcher
  readonly #originals = new Map<string, AnyCall>()
  /** What the open descriptors lead to. */
  readonly #paths = new Map<number, string>()

  constructor(folder: string, watcher: FileWatcher) {
    this.#folder = folder
    this.#watcher = watcher
  }

  replace(name: string, by: (real: AnyCall) => AnyCall): void {
    const real = table[name]!
    this.#originals.set(name, real)
    table[name] = by(real)
  }

  end(): void {
    for (const [name, real] of this.#originals) table[name] = real
    syncBuiltinESMExports()
  }

  byPath(name: string, real: AnyCall): AnyCall {
    return (...args) => {
      const [place, other] = args
      const path = typeof place === 'string' ? resolve(place) : this.#paths.get(place as number)
      if (path === undefined || !this.#isInside(path)) return real(...args)
      const to = typeof other === 'string' ? resolve(other) : undefined
      const result = this.#run({ name, path, to }, () => real(...args))
      if (name === 'openSync') this.#paths.set(result as number, path)
      return result
    }
  }

  byDescriptor(name: string, real: AnyCall): AnyCall {
    return (...args) => {
      const path = this.#paths.get(args[0] as number)
      if (path === undefined) return real(...args)
      if (name !== 'writeSync') return this.#run({ name, path }, () => real(...args))
      const [fd, given, start = 0, length] = args as [number, Buffer | string, number?, number?]
      const whole = typeof given === 'string' ? Buffer.from(given) : given
      const bytes = whole.subarray(start, start + (length ?? whole.length - start))
      const writeSome = (taken: number) => real(fd, bytes, 0, Math.min(taken, bytes.length))
      return this.#run({ name, path, bytes }, () => real(...args), writeSome)
    }
  }

  sync(real: AnyCall): AnyCall {
    return (...args) => {
      const [fd, done] = args as [number, (error: Error | null) => void]
      const path = this.#paths.get(fd)
      if (path === undefined) return real(fd, done)
      const call = { name: 'fdatasync', path }
      const fault = this.#watcher.before?.(call)
      if (fault !== undefined) return setImmediate(() => done(errorOf(call, fault)))
      return real(fd, (error: Error | null) => {
        if (error === null) this.#watcher.after?.(call, undefined)
        done(error)
      })
    }
  }

  close(real: AnyCall): AnyCall {
    return (...args) => {
      this.#paths.delete(args[0] as number)
      return real(...args)
    }
  }

  #run(call: FileCall, real: () => unknown, writeSome?: (length: number) => unknown): unknown {
    const fault = this.#watcher.before?.(call)
    if (fault !== undefined) {
      const taken = fault.takes === undefined ? 0 : writeSome?.(fault.takes)
      if (fault.code === undefined) return taken
      throw errorOf(call, fault)
    }
    const result = real()
    this.#watcher.after?.(call, result)
    return result
  }

  #isInside(path: string): boolean {
    return path === this.#folder || path.startsWith(this.#folder + sep)
  }
}

function errorOf(
  { name, path }: FileCall,
  { code = 'EIO', errno = -5 }: FileFault,
): NodeJS.ErrnoException {
  const syscall = name.replace(/Sync$/, '')
  const message = `${code}: injected, ${syscall} '${path}'`
  return Object.assign(new Error(message), { code, errno, syscall, path })
}
