// What earlier imports recorded in a log: for each of its sources how much of it was read. The hash of
// that part proves that a source is the same; otherwise nothing is added.

import { fieldsOf } from '../../chain/index.js'
import { isSessionError } from '../../errors.js'
import { isHeaderType, type PayloadByType, type SessionEvent } from '../../format/index.js'
import { readLogBackwardSync } from '../../log/index.js'
import type { ForeignSource, StoreContext } from '../../store/index.js'

export type Ledger = PayloadByType['imported']

export const SKIP_REASONS = {
  unchanged: 'It was imported before and has not changed since',
  changed_past: 'The part imported before has changed since, so nothing was added',
  exists: 'A session with this id was recorded here; nothing was added to it',
  continued_here: 'The imported session was continued here; nothing was added to it',
} as const

export type SkipReason = keyof typeof SKIP_REASONS

/** The end of a log, as far as an import needs it. */
export interface PreviousImport {
  /** There is a log already. */
  exists: boolean
  /** It was begun by an import. */
  isImport: boolean
  /** An event that is not imported was added to the chain since. */
  isContinued: boolean
  /** The last one of each source, oldest first. None if there was no import, or an interrupted one. */
  ledgers: Ledger[]
}

export function readPreviousImport(
  { env: environment }: StoreContext,
  path: string,
): PreviousImport {
  const end = { exists: false, isImport: false, isContinued: false, ledgers: [] }
  try {
    for (const entry of readLogBackwardSync(path, { lazyPayloads: true, environment })) {
      if (entry.kind === 'event' && addBackward(end, entry.event)) break
    }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
  return end
}

/** True when older events are not needed. */
function addBackward(end: PreviousImport, { type, prev_uuid, payload }: SessionEvent): boolean {
  end.exists = true
  if (type === 'imported') return addLedger(end, payload as Ledger)
  // Before an import of a source, nothing but imported events was added.
  if (end.ledgers.length > 0) return isHeaderType(type)
  const { imported_from, lib } = fieldsOf(payload)
  if (prev_uuid !== null && imported_from === undefined) end.isContinued = true
  if (!isHeaderType(type)) return false
  end.isImport = fieldsOf(lib)['capture'] === 'import'
  return true
}

/** True when those of all sources were read. */
function addLedger({ ledgers }: PreviousImport, ledger: Ledger): boolean {
  if (!ledgers.some(({ source }) => source === ledger.source)) ledgers.unshift(ledger)
  return ledgers.length >= (ledgers.at(-1)!.sources ?? 1)
}

/** Whether the source begins with what was imported. */
export function isSameSource({ bytes, sha256 }: Ledger, source: ForeignSource): boolean {
  return source.sha256(bytes) === sha256
}
