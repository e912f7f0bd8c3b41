// The note beside a lock that says whose it is. It is written after the directory is made, so it
// counts only while it names that very directory: otherwise it speaks of an earlier owner.

import { closeSync, constants, existsSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { createPrivateFile } from '../open-file.js'
import { ownIdentity, type ProcessIdentity, parseIdentity } from './process-identity.js'
import { readSmallFile } from './small-file.js'

export type LockMode = 'lease' | 'once'

export interface OwnerRecord extends ProcessIdentity {
  readonly since: string
  readonly kernel: boolean
  readonly mode: LockMode
  /** The identity of the lock directory it belongs to. */
  readonly dir: string
}

export function ownerPathOf(path: string): string {
  return `${path}.lock.owner`
}

export type OwnerNote = Pick<OwnerRecord, 'kernel' | 'mode' | 'dir'>

/** Only the holder of the lock may call it. */
export function writeOwnerRecord(path: string, note: OwnerNote): void {
  const record: OwnerRecord = { ...ownIdentity(), since: new Date().toISOString(), ...note }
  const target = ownerPathOf(path)
  // Threads share a pid, but not a moment.
  const temporary = `${target}.${process.pid}-${process.hrtime.bigint()}.tmp`
  const fd = createPrivateFile(temporary, constants.O_WRONLY)
  try {
    writeFileSync(fd, `${JSON.stringify(record)}\n`)
    renameSync(temporary, target)
  } catch (error) {
    unlinkSync(temporary)
    throw error
  } finally {
    closeSync(fd)
  }
}

/** Never throws: a record that cannot be understood is as good as none. */
export function readOwnerRecord(path: string): OwnerRecord | undefined {
  const json = readSmallFile(ownerPathOf(path))?.json
  const identity = parseIdentity(json)
  if (identity === undefined) return undefined
  const { since, kernel, mode, dir } = json as Partial<OwnerRecord>
  if (typeof since !== 'string' || typeof kernel !== 'boolean' || typeof dir !== 'string') {
    return undefined
  }
  return mode === 'lease' || mode === 'once' ? { ...identity, since, kernel, mode, dir } : undefined
}

/** Removes the record if it belongs to that directory; another's stays. */
export function removeOwnerRecord(path: string, dir: string): void {
  if (readOwnerRecord(path)?.dir === dir) unlinkSync(ownerPathOf(path))
}

/** For a holder that writes none of its own: what lies there was left by a dead one. */
export function clearOwnerRecord(path: string): void {
  if (existsSync(ownerPathOf(path))) unlinkSync(ownerPathOf(path))
}
