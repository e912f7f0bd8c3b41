// What an earlier import said it had done. The hash of the source's beginning proves that it is the
// same source; without that nothing is added to it.

import { fieldsOf } from '../chain/index.js'
import { isSessionError } from '../errors.js'
import { isHeaderType, type PayloadByType, type SessionEvent } from '../format/index.js'
import { readLogBackwardSync } from '../log/index.js'
import type { ForeignSource } from '../store/index.js'

export type Ledger = PayloadByType['imported']

export const SKIP_REASONS = {
  unchanged: 'It was imported already, and has not changed since',
  changed_past: 'What was imported of it has changed since, so nothing was added',
  exists: 'A session of this id was recorded here by itself; nothing was added to it',
  continued_here: 'The imported session was gone on with here; nothing was added to it',
} as const

export type SkipReason = keyof typeof SKIP_REASONS

export interface Earlier {
  /** There is a log already. */
  readonly isThere: boolean
  /** `undefined`: an import that was interrupted. */
  readonly ledger: Ledger | undefined
  readonly skip: SkipReason | undefined
}

/** What is there of a source, and whether it may be added to. */
export function findEarlier(path: string, source: ForeignSource): Earlier {
  const { isThere, isImport, isContinued, ledger } = readEnd(path)
  if (ledger === undefined) {
    return { isThere, ledger, skip: isThere && !isImport ? 'exists' : undefined }
  }
  const skip = judge(ledger, source)
  const isBarred = isContinued && skip === undefined
  return { isThere, ledger, skip: isBarred ? 'continued_here' : skip }
}

interface End {
  isThere: boolean
  isImport: boolean
  /** Somebody added to the chain who is no importer. */
  isContinued: boolean
  ledger: Ledger | undefined
}

function readEnd(path: string): End {
  const end: End = { isThere: false, isImport: false, isContinued: false, ledger: undefined }
  try {
    for (const entry of readLogBackwardSync(path, { lazyPayloads: true })) {
      if (entry.kind === 'event' && takeBackward(entry.event, end)) break
    }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
  return end
}

/** True when older events tell nothing more. */
function takeBackward({ type, prev_uuid, payload }: SessionEvent, end: End): boolean {
  end.isThere = true
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

function judge({ bytes, sha256 }: Ledger, source: ForeignSource): SkipReason | undefined {
  if (source.sha256(bytes) !== sha256) return 'changed_past'
  return source.size === bytes ? 'unchanged' : undefined
}
