// The other sessions a transcript depends on: the one it continues, and those whose bytes it begins
// with.

import { isSessionError } from '../../errors.js'
import { fieldsOf, textOf } from '../../format/fields.js'
import { idOfFileName } from '../catalog/header-fields.js'
import type { StoreContext } from '../context.js'
import { type Lineage, parentOf, readHeaders } from './load-session.js'

export interface SessionLineage {
  readonly sessionId: string
  /** Whose projection it starts with. */
  readonly resumedFrom: Lineage | undefined
  /** Of a fork, its source and the sources of that. */
  readonly sources: readonly string[]
}

/** Reads the headers. Of a transcript that cannot be read only its name is known. */
export function readLineage(store: StoreContext, path: string): SessionLineage {
  const headers = headersOf(store, path)
  const payloads = headers.map(({ event }) => fieldsOf(event.payload))
  const own = textOf(payloads[0]?.['session_id']) ?? idOfFileName(path)
  const ids = payloads.flatMap((header) => [
    textOf(header['session_id']),
    textOf(fieldsOf(header['forked_from'])['session_id']),
  ])
  const sources = new Set(ids.filter((id) => id !== null && id !== own) as string[])
  return { sessionId: own, resumedFrom: parentOf(headers), sources: [...sources] }
}

function headersOf(store: StoreContext, path: string) {
  try {
    return readHeaders(store, path)
  } catch (error) {
    if (!isSessionError(error)) throw error
    return []
  }
}
