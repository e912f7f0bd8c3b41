// A disk that fails when told to: the errors a real one will not give on demand.

import {
  type EnvironmentOverrides,
  type FileSystem,
  systemEnvironment,
} from '../../lib/environment/index.js'

/** The calls by which a writer changes its file, or checks that it is still the same one. */
export type WriterFiles = Pick<FileSystem, 'writeSync' | 'statSync' | 'fdatasyncSync' | 'fdatasync'>

export type DiskCall = keyof WriterFiles

/** File system calls of a test, as overrides of the real ones. */
export function withFiles(fs: Partial<WriterFiles>): EnvironmentOverrides {
  return { fs }
}

export interface Fault {
  readonly call: DiskCall
  /** Errno code to throw; for `writeSync` also how many bytes to take before. */
  readonly code?: string
  readonly errno?: number
  readonly takes?: number
  /** Stays broken until it is removed. */
  readonly isSticky?: boolean
}

export class FaultyDisk {
  readonly #faults: Fault[] = []
  readonly calls: DiskCall[] = []

  fail(fault: Fault): void {
    this.#faults.push(fault)
  }

  mend(): void {
    this.#faults.length = 0
  }

  get environment(): EnvironmentOverrides {
    const real = systemEnvironment.fs
    return withFiles({
      writeSync: (fd, bytes, start, length) => {
        const fault = this.#next('writeSync')
        if (fault === undefined) return real.writeSync(fd, bytes, start, length)
        const { takes = 0, code } = fault
        const taken = takes > 0 ? real.writeSync(fd, bytes, start, Math.min(takes, length)) : 0
        if (code !== undefined) throw errorOf(fault)
        return taken
      },
      statSync: (path: string) => this.#run('statSync', () => real.statSync(path)),
      fdatasyncSync: (fd) => this.#run('fdatasyncSync', () => real.fdatasyncSync(fd)),
      fdatasync: (fd, done) => {
        const fault = this.#next('fdatasync')
        if (fault === undefined) real.fdatasync(fd, done)
        else setImmediate(() => done(errorOf(fault)))
      },
    })
  }

  #run<Result>(call: DiskCall, real: () => Result): Result {
    const fault = this.#next(call)
    if (fault !== undefined) throw errorOf(fault)
    return real()
  }

  #next(call: DiskCall): Fault | undefined {
    this.calls.push(call)
    const index = this.#faults.findIndex((fault) => fault.call === call)
    const fault = this.#faults[index]
    if (fault !== undefined && fault.isSticky !== true) this.#faults.splice(index, 1)
    return fault
  }
}

function errorOf({ call, code = 'EIO', errno = -5 }: Fault): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: injected, ${call}`), { code, errno, syscall: call })
}
