// Where an appender puts its lines, and what it must know of those that are there already.

import type { Environment } from './environment.js'
import { Fence, type LogState } from './fence.js'
import { refuseNewerFormat } from './format-version.js'
import { KnownUuids } from './known-uuids.js'
import type { HeldLock } from './lock/acquire.js'
import { LogFile } from './log-file.js'
import { countNewlines } from './scan.js'
import { type FoundTip, findTip } from './tip.js'

export interface AppendPlace {
  readonly file: Pick<LogFile, 'path' | 'size' | 'isTailTorn' | 'write'>
  readonly known: Pick<KnownUuids, 'find' | 'addLines'>
  readonly fence: Pick<Fence, 'isDue' | 'look' | 'expire' | 'remember' | 'settle'>
  readonly state: LogState
  /** Nobody who asks can write at this time, so there is no need to look every time. */
  readonly isAlone: () => boolean
  readonly countNewlines: (to: number) => number
}

export interface DiskPlaceSettings {
  readonly environment: Environment
  /** Events follow each other; elsewhere nobody needs to look for the last one. */
  readonly hasChain: boolean
  /** How far back from the end to look for a uuid that a caller brings. */
  readonly reachBytes: number
  /** How much of the end must hang together before its last event is taken for the tip. */
  readonly tipWindowBytes: number
}

/** A file whose lock is held. */
export function placeOnDisk(
  path: string,
  lock: HeldLock,
  { environment, hasChain, reachBytes, tipWindowBytes }: DiskPlaceSettings,
): AppendPlace {
  const file = new LogFile(path, lock.fd, environment.disk)
  const known = new KnownUuids(file, { reachBytes })
  refuseNewerFormat(file)
  const { tip, uuids }: FoundTip =
    hasChain && file.size > 0 ? findTip(file, tipWindowBytes) : { tip: null }
  if (uuids !== undefined) known.take(uuids, file.size)
  const state: LogState = { tip, newlineCount: file.size === 0 ? 0 : undefined }
  return {
    file,
    known,
    fence: new Fence(file, known, state),
    state,
    isAlone: () => lock.isKernel && !lock.isCompromised,
    countNewlines: (to) => countNewlines(lock.fd, 0, to),
  }
}
