// Who a process is beyond its number, which is given out again, and whether it still lives.
// Only a proven death counts: everything else would take the lock from a living process.

import {
  type Environment,
  type EnvironmentOverrides,
  environmentFrom,
  type FileSystem,
  type Host,
} from '../../environment/index.js'

export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks from boot to its start, as /proc counts them; `null` where there is no /proc. */
  readonly start: string | null
  readonly boot: string | null
  /** The namespace its number belongs to: two containers may both have a pid 7. */
  readonly ns: string | null
  readonly host: string
}

export type ProcessState = 'alive' | 'stopped' | 'dead' | 'unknown'

const ownByHost = new WeakMap<Host, ProcessIdentity>()

export function ownIdentity({ fs, host }: Environment): ProcessIdentity {
  let own = ownByHost.get(host)
  if (own !== undefined) return own
  own = {
    pid: host.pid,
    /* v8 ignore next -- @preserve only other systems have no /proc, or that of another namespace */
    start: hasOwnProc(fs, host.pid) ? (readProcStat(fs, host.pid)?.start ?? null) : null,
    boot: readLine(fs, '/proc/sys/kernel/random/boot_id'),
    ns: readLink(fs, '/proc/self/ns/pid'),
    host: host.hostname(),
  }
  ownByHost.set(host, own)
  return own
}

// As /proc names them.
const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'fish', 'busybox'])

/**
 * The process that started this one, one shell skipped: a harness runs its hooks through a shell,
 * and both are gone a moment later, while the harness stays.
 */
export function parentIdentity(
  ppid?: number,
  { environment }: { readonly environment?: EnvironmentOverrides | undefined } = {},
): ProcessIdentity {
  return identifyParent(environmentFrom(environment), ppid)
}

export function identifyParent(env: Environment, ppid?: number): ProcessIdentity {
  const { fs } = env
  const id = ppid ?? env.host.ppid
  const self = ownIdentity(env)
  // Without a /proc of ours shells cannot be recognised, and there are no start times.
  /* v8 ignore next -- @preserve only other systems have none */
  const parent = self.start === null ? undefined : readProcStat(fs, id)
  const isShell = parent !== undefined && SHELLS.has(parent.name) && parent.parent > 1
  const pid = isShell ? parent.parent : id
  const stat = isShell ? readProcStat(fs, pid) : parent
  return { ...self, pid, start: stat?.start ?? null }
}

export function isOwnProcess({ pid, start, ns, host }: ProcessIdentity, env: Environment): boolean {
  const self = ownIdentity(env)
  return pid === self.pid && start === self.start && ns === self.ns && host === self.host
}

export function judgeProcess(identity: ProcessIdentity, env: Environment): ProcessState {
  const self = ownIdentity(env)
  if (identity.host !== self.host || identity.ns !== self.ns) return 'unknown'
  if (identity.boot !== self.boot) {
    return identity.boot === null || self.boot === null ? 'unknown' : 'dead'
  }
  if (!existsProcess(identity.pid, env.host)) return 'dead'
  // Without a start time on both sides the number is all there is, and it is in use.
  if (identity.start === null || self.start === null) return 'alive'
  const stat = readProcStat(env.fs, identity.pid)
  // Hidden from us (hidepid), or gone this very moment; the next check will show it.
  /* v8 ignore next -- @preserve only a /proc mounted with hidepid answers so */
  if (stat === undefined) return 'alive'
  if (stat.start !== identity.start || 'ZXx'.includes(stat.state)) return 'dead'
  return 'Tt'.includes(stat.state) ? 'stopped' : 'alive'
}

/** Reads an identity out of parsed JSON; anything else than a whole one is `undefined`. */
export function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { pid, start, boot, ns, host } = value as Partial<ProcessIdentity>
  const isWhole =
    Number.isSafeInteger(pid) &&
    // kill(2) takes 0 and negative numbers for whole groups of processes.
    (pid as number) > 0 &&
    typeof host === 'string' &&
    [start, boot, ns].every((field) => typeof field === 'string' || field === null)
  return isWhole ? ({ pid, start, boot, ns, host } as ProcessIdentity) : undefined
}

function existsProcess(pid: number, host: Host): boolean {
  try {
    host.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there, and another user's.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

interface ProcStat {
  readonly name: string
  readonly parent: number
  readonly state: string
  readonly start: string
}

function readProcStat(fs: FileSystem, pid: number): ProcStat | undefined {
  const line = readLine(fs, `/proc/${pid}/stat`)
  if (line === null) return undefined
  // The second field is the command in parentheses, and may hold spaces and parentheses itself;
  // counting starts after the last one, with the third field.
  const nameEnd = line.lastIndexOf(')')
  const fields = line.slice(nameEnd + 2).split(' ')
  const [state, start] = [fields[0], fields[22 - 3]]
  /* v8 ignore next -- @preserve only another kernel would write fewer fields */
  if (state === undefined || start === undefined) return undefined
  const name = line.slice(line.indexOf('(') + 1, nameEnd)
  return { name, parent: Number(fields[4 - 3]), state, start }
}

// A /proc of another pid namespace shows other processes under our numbers.
function hasOwnProc(fs: FileSystem, pid: number): boolean {
  return readLink(fs, '/proc/self') === String(pid)
}

function readLine(fs: FileSystem, path: string): string | null {
  try {
    return fs.readFileSync(path, 'utf8').trimEnd()
  } catch {
    return null
  }
}

function readLink(fs: FileSystem, path: string): string | null {
  try {
    return fs.readlinkSync(path)
  } catch {
    return null
  }
}
