// What an earlier import of a source recorded in its log. The hash of the imported part proves that
// the source is the same; otherwise nothing is added.

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

export interface PreviousImport {
  /** There is a log already. */
  readonly exists: boolean
  /** `undefined` if there was no import, or an interrupted one. */
  readonly ledger: Ledger | undefined
  /** Why nothing may be added to it. */
  readonly skip: SkipReason | undefined
}

export function readPreviousImport(
  store: StoreContext,
  path: string,
  source: ForeignSource,
): PreviousImport {
  const { exists, isImport, isContinued, ledger } = readEnd(store, path)
  if (ledger === undefined) {
    return { exists, ledger, skip: exists && !isImport ? 'exists' : undefined }
  }
  const skip = compareSource(ledger, source) ?? (isContinued ? 'continued_here' : undefined)
  return { exists, ledger, skip }
}

interface End {
  exists: boolean
  isImport: boolean
  /** An event that is not imported was added to the chain. */
  isContinued: boolean
  ledger: Ledger | undefined
}

function readEnd({ env: environment }: StoreContext, path: string): End {
  const end: End = { exists: false, isImport: false, isContinued: false, ledger: undefined }
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
function addBackward(end: End, { type, prev_uuid, payload }: SessionEvent): boolean {
  end.exists = true
  if (type === 'imported') {
    end.ledger = payload as Ledger
    return true
  }
  const { imported_from, lib } = fieldsOf(payload)
  if (prev_uuid !== null && imported_from === undefined) end.isContinued = true
  if (!isHeaderType(type)) return false
  end.isImport = fieldsOf(lib)['capture'] === 'import'
  return true
}

function compareSource({ bytes, sha256 }: Ledger, source: ForeignSource): SkipReason | undefined {
  if (source.sha256(bytes) !== sha256) return 'changed_past'
  return source.size === bytes ? 'unchanged' : undefined
}
